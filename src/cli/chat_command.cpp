#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/answer_printer.h"
#include "cli/answer_statistics.h"
#include "cli/command.h"
#include "cli/conversation.h"
#include "cli/interrupt.h"
#include "cli/interruptible.h"
#include "cli/line_reader.h"
#include "cli/model_options.h"
#include "cli/paths.h"
#include "cli/sampling_options.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "engine/session.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kHelp =
    "/clear          forget the conversation\n"
    "/system TEXT    set the system message\n"
    "/save FILE      write the conversation\n"
    "/load FILE      go on with a saved one\n"
    "/stats          speed of the last answer\n"
    "/exit           leave (or Ctrl-D); Ctrl-C ends an answer";

struct ChatOptions {
  ModelOptions model;
  SamplingOptions sampling;
  std::string system;
  std::int32_t max_tokens = 0;  // of an answer; 0: what the context leaves
};

class Chat {
 public:
  Chat(const ChatOptions& options, const EngineOptions& engine, engine::LoadedModel& loaded,
       const base::Clock& clock)
      : options_(options),
        loaded_(loaded),
        clock_(clock),
        sampling_(
            sampling_parameters(loaded.sampling_defaults(), options.sampling, loaded.tokenizer())),
        session_(loaded, engine),
        conversation_(loaded, options.model.chat_keywords) {
    conversation_.set_system(options.system);
    fmt::print(stderr, "/help lists the commands\n");
  }

  /// False: the person wants to leave.
  bool handle(const std::string& line) {
    if (line.empty()) return true;
    if (line.front() != '/') {
      answer(line);
      return true;
    }
    const std::size_t blank = line.find(' ');
    const std::string argument = blank == std::string::npos ? "" : line.substr(blank + 1);
    return obey(line.substr(0, blank), argument);
  }

 private:
  bool obey(const std::string& name, const std::string& argument) {
    if (name == "/exit" || name == "/quit") return false;
    if (name == "/clear") {
      conversation_.clear();
      session_.clear_cache();
    } else if (name == "/system") {
      conversation_.set_system(argument);
    } else if (name == "/save" && !argument.empty()) {
      conversation_.save(argument);
    } else if (name == "/load" && !argument.empty()) {
      conversation_.restore(argument);
      fmt::print(stderr, "{} turns\n", conversation_.turn_count());
    } else if (name == "/stats") {
      fmt::print(stderr, "{}\n",
                 last_ ? statistics_line(*last_, loaded_, session_.options())
                       : "nothing was answered yet");
    } else {
      fmt::print(stderr, "{}\n", kHelp);
    }
    return true;
  }

  // Leaves a quarter of the context for the answer before it drops turns.
  std::vector<TokenId> prompt() {
    const auto context = static_cast<std::size_t>(session_.options().context_tokens);
    std::size_t dropped = 0;
    std::vector<TokenId> tokens = conversation_.fit(context - context / 4, dropped);
    if (dropped > 0) {
      fmt::print(
          stderr, "{}\n",
          styled(stderr, Style::dim,
                 fmt::format("(the context is full: the oldest {} turns are forgotten)", dropped)));
    }
    return tokens;
  }

  void answer(const std::string& question) {
    conversation_.add_user(question);
    try {
      Request request = session_.new_request(prompt());
      request.sampling = sampling_;
      if (options_.max_tokens > 0) request.max_tokens = options_.max_tokens;
      AnswerPrinter printer(loaded_.tokenizer(), options_.sampling.stop_strings, clock_, stdout);
      request.observer = &printer;
      step_until_done(session_.submit(std::move(request)));
      fmt::print("\n");
      std::fflush(stdout);
      conversation_.add_assistant(printer.text());
      last_ = printer.times();
    } catch (const Error&) {
      conversation_.drop_last();
      throw;
    }
  }

  void step_until_done(RequestId id) {
    InterruptGuard::clear();
    step_until_idle_or_interrupted(session_, id);
    InterruptGuard::clear();
  }

  const ChatOptions& options_;
  engine::LoadedModel& loaded_;
  const base::Clock& clock_;
  SamplingParameters sampling_;
  engine::Session session_;
  Conversation conversation_;
  std::optional<AnswerTimes> last_;
};

// Beside the models; a chat without a writable cache has no history.
std::string history_file() {
  std::error_code ignored;
  std::filesystem::create_directories(cache_folder(), ignored);
  return (cache_folder() / "chat_history").string();
}

void run_chat(const ChatOptions& options) {
  Session owner(options.model.threads);
  const EngineOptions engine = engine_options(options.model);
  const auto loaded = load(options.model, owner.context(), {.plan = &engine, .print_plan = true});
  Chat chat(options, engine, *loaded, owner.context().clock);
  const InterruptGuard interrupts;
  LineReader reader(history_file());
  std::string line;
  while (true) {
    const LineReader::End end = reader.read("> ", line);
    if (end == LineReader::End::input_ended) break;
    if (end == LineReader::End::interrupted) continue;
    try {
      if (!chat.handle(line)) break;
    } catch (const Error& error) {
      fmt::print(stderr, "{} {}\n", styled(stderr, Style::red, "cairn:"), error.message());
    }
  }
}

}  // namespace

void add_chat_command(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App* command = app.add_subcommand("chat", "Talk with a model");
  command->footer(
      "Examples:\n"
      "  cairn chat smollm2\n"
      "  cairn chat model.gguf --system \"You are a patient teacher.\" --context 4096\n\n"
      "Within the chat:\n" +
      std::string(kHelp));
  add_model_options(*command, options->model);
  command->add_option("--system", options->system, "The system message");
  command
      ->add_option("-n,--max-tokens", options->max_tokens,
                   "Tokens of an answer at most; 0: no limit")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  add_context_option(*command, options->model);
  add_chat_template_option(*command, options->model);
  add_chat_keywords_option(*command, options->model);
  add_sampling_options(*command, options->sampling);
  command->callback([options] { run_chat(*options); });
}

}  // namespace cairn::cli
