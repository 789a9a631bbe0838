#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/answer_printer.h"
#include "cli/answer_statistics.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/interruptible.h"
#include "cli/model_options.h"
#include "cli/prompt_source.h"
#include "cli/sampling_options.h"
#include "cli/session.h"
#include "engine/session.h"

namespace cairn::cli {
namespace {

struct RunOptions {
  ModelOptions model;
  SamplingOptions sampling;
  std::optional<std::string> prompt;
  std::string file;
  std::string system;
  bool raw = false;
  bool quiet = false;
  std::optional<std::int32_t> max_tokens;
};

std::vector<TokenId> prompt_tokens(const RunOptions& options, const engine::LoadedModel& loaded,
                                   const std::string& prompt) {
  const text::Tokenizer& tokenizer = loaded.tokenizer();
  const text::ChatFormat* chat = loaded.chat_format();
  if (options.raw || chat == nullptr) {
    if (!options.system.empty()) {
      fail(ErrorKind::invalid_argument, "--system needs a chat template; {}",
           options.raw ? "leave out --raw" : "this model has none: give one with --chat-template");
    }
    return tokenizer.encode(prompt, {.add_special = true, .parse_special = false});
  }
  text::ChatRequest request{.keywords_json = options.model.chat_keywords};
  if (!options.system.empty()) request.messages.push_back({"system", options.system});
  request.messages.push_back({"user", prompt});
  return chat->encode(request, tokenizer);
}

void answer(engine::Session& session, Request request) {
  const InterruptGuard interrupts;
  const RequestId id = session.submit(std::move(request));
  step_until_idle_or_interrupted(session, id);
}

void run(const RunOptions& options) {
  const std::string prompt = read_text(options.prompt, options.file, "prompt");
  Session owner(options.model.threads);
  const EngineOptions engine = engine_options(options.model);
  const auto loaded =
      load(options.model, owner.context(), {.plan = &engine, .print_plan = !options.quiet});
  const SamplingParameters sampling =
      sampling_parameters(loaded->sampling_defaults(), options.sampling, loaded->tokenizer());
  engine::Session session(*loaded, engine);

  Request request = session.new_request(prompt_tokens(options, *loaded, prompt));
  request.sampling = sampling;
  request.max_tokens = options.max_tokens;
  AnswerPrinter printer(loaded->tokenizer(), options.sampling.stop_strings, owner.context().clock,
                        stdout);
  request.observer = &printer;
  answer(session, std::move(request));

  fmt::print("\n");
  std::fflush(stdout);
  if (!options.quiet) {
    fmt::print(stderr, "{}\n", statistics_line(printer.times(), *loaded, session.options()));
  }
  if (printer.times().reason == schedule::FinishReason::cancelled) {
    fail(ErrorKind::cancelled, "");  // what there is to say was said
  }
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Answer one prompt");
  command->footer(
      "Examples:\n"
      "  cairn run smollm2 \"Why is the sky blue?\"\n"
      "  cairn run model.gguf -f letter.txt --system \"Answer in one sentence.\" -n 100\n"
      "  echo \"Once upon a time\" | cairn run model.gguf --raw -t 0\n\n"
      "The answer goes to standard output; sizes and speeds go to standard error.");
  add_model_options(*command, options->model);
  command->add_option("PROMPT", options->prompt, "The prompt; else -f FILE or standard input");
  command->add_option("-f,--file", options->file, "Read the prompt from a file");
  command->add_option("--system", options->system, "The system message");
  command->add_flag("--raw", options->raw, "Continue the text as it is, without chat template");
  command->add_flag("-q,--quiet", options->quiet, "Print the answer only");
  command
      ->add_option("-n,--max-tokens", options->max_tokens,
                   "Tokens to generate at most [until the model ends or the context is full]")
      ->check(CLI::Range(0, 1 << 30));
  add_context_option(*command, options->model);
  add_chat_template_option(*command, options->model);
  add_chat_keywords_option(*command, options->model);
  add_sampling_options(*command, options->sampling);
  command->callback([options] { run(*options); });
}

}  // namespace cairn::cli
