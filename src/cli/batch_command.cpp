#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "base/error.h"
#include "cli/batch_answer.h"
#include "cli/batch_input.h"
#include "cli/batch_journal.h"
#include "cli/batch_summary.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "cli/serving_options.h"
#include "cli/session.h"
#include "engine/session.h"
#include "perf/model_step_price.h"
#include "schedule/policies/admission.h"

namespace cairn::cli {
namespace {

struct BatchOptions {
  ModelOptions model;
  ServingOptions serving;
  std::string input;
  std::string output;
  bool logit_hash = false;
  bool quiet = false;
};

EngineOptions sized_for(const BatchOptions& options) {
  EngineOptions engine = engine_options(options.model);
  apply(options.serving, engine);
  return engine;
}

/// What decides about the answers, beside the input: with the same, a journal can be gone on with.
std::string identity_of(const BatchOptions& options, const EngineOptions& engine) {
  const ModelOptions& model = options.model;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", model.model, model.backend, model.weights,
                     model.chat_template, model.context_tokens, static_cast<int>(engine.key_type),
                     static_cast<int>(engine.value_type), options.serving.seed, options.logit_hash);
}

/// The requests of one run: as many in the engine as keep it busy, the rest still in the file.
class BatchRun {
 public:
  BatchRun(const engine::LoadedModel& loaded, engine::Session& session, const BatchOptions& options,
           BatchInput& input, BatchJournal& journal)
      : loaded_(loaded),
        session_(session),
        hashes_logits_(options.logit_hash),
        input_(input),
        journal_(journal),
        reader_(loaded, session, options.serving.seed),
        window_(session.options().max_waiting - schedule::kMaxChoices) {}

  const BatchTotals& totals() const { return totals_; }

  /// False where Ctrl-C ended it.
  bool run(std::int64_t line_count) {
    Progress progress("requests", line_count, ProgressUnit::items);
    const InterruptGuard interrupts;
    bool cancelled = false;
    while (true) {
      if (!cancelled) fill();
      if (InterruptGuard::requested() && !cancelled) {
        session_.cancel_all();
        cancelled = true;
      }
      const bool worked = session_.step();
      reap();
      progress.update(journal_.size());
      if (!worked && active_.empty() && (cancelled || input_.at_end())) return !cancelled;
    }
  }

 private:
  void fill() {
    while (active_sequences_ < window_ && !InterruptGuard::requested()) {
      std::string text;
      const std::int64_t number = input_.next(text);
      if (number == 0) return;
      // Ids are kept of answered lines, too: a second line with an id is wrong in every run.
      BatchLine line;
      try {
        reader_.read(text, line);
        require_new(line);
        if (!journal_.has(number)) submit(std::move(line), number);
      } catch (const Error& error) {
        if (!journal_.has(number)) journal_.add(number, refused_output(line, number, error));
      }
    }
  }

  void require_new(const BatchLine& line) {
    if (ids_.insert(line.custom_id).second) return;
    fail(ErrorKind::invalid_argument, "custom_id: '{}' was used by a line before", line.custom_id);
  }

  void submit(BatchLine line, std::int64_t number) {
    Request request = line.request;
    const bool hashes = hashes_logits_ && !request.beam_search;  // beams share what they compute
    auto answer = std::make_unique<BatchAnswer>(
        std::move(line), number, hashes, loaded_.tokenizer(), loaded_.context().clock, totals_);
    request.observer = answer.get();
    if (hashes) request.logits_from = static_cast<std::int32_t>(request.prompt.size()) - 1;
    try {
      session_.submit(std::move(request));
      active_sequences_ += schedule::sequence_count(answer->line().request);
      active_.push_back(std::move(answer));
    } catch (const Error& error) {
      journal_.add(number, refused_output(answer->line(), number, error));
    }
  }

  void reap() {
    for (const auto& answer : active_) {
      if (!answer->finished()) continue;
      active_sequences_ -= schedule::sequence_count(answer->line().request);
      if (!answer->cancelled()) journal_.add(answer->number(), answer->output());
    }
    std::erase_if(active_, [](const auto& answer) { return answer->finished(); });
  }

  const engine::LoadedModel& loaded_;
  engine::Session& session_;
  bool hashes_logits_;
  BatchInput& input_;
  BatchJournal& journal_;
  BatchLineReader reader_;
  std::int32_t window_;  // sequences below which another request surely finds room in the queue
  std::int32_t active_sequences_ = 0;
  BatchTotals totals_;
  std::set<std::string> ids_;
  std::vector<std::unique_ptr<BatchAnswer>> active_;
};

/// Where a time between tokens is to be kept; measuring the machine takes half a second.
std::unique_ptr<perf::ModelStepPrice> step_price(const EngineOptions& engine,
                                                 const engine::LoadedModel& loaded) {
  if (engine.target_itl_seconds <= 0) return nullptr;
  return std::make_unique<perf::ModelStepPrice>(
      loaded.checkpoint(), engine, perf::quick_rates(loaded.context(), cache_folder()));
}

void run_batch(const BatchOptions& options) {
  BatchInput input(options.input);
  const EngineOptions engine = sized_for(options);
  const std::uint64_t fingerprint = input.fingerprint(identity_of(options, engine));
  BatchJournal journal(options.output, fingerprint);
  Session owner(options.model.threads);
  const auto loaded =
      load(options.model, owner.context(), {.plan = &engine, .print_plan = !options.quiet});
  const auto price = step_price(engine, *loaded);
  engine::Session session(*loaded, engine, {.price = price.get()});
  StepCounter steps;
  session.set_step_observer(&steps);
  if (journal.size() > 0 && !options.quiet) {
    fmt::print(stderr, "{} of {} requests were answered before\n", journal.size(),
               input.line_count());
  }
  BatchRun batch(*loaded, session, options, input, journal);
  const bool complete = batch.run(input.line_count());
  if (!options.quiet) {
    fmt::print(stderr, "{}\n", batch_summary(batch.totals(), steps, session.statistics()));
  }
  if (!complete) {
    fail(ErrorKind::cancelled, "{} of {} requests are answered; the same command goes on",
         journal.size(), input.line_count());
  }
  journal.finish();
}

}  // namespace

void add_batch_command(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* command = app.add_subcommand("batch", "Answer a file of requests");
  command->footer(
      "Examples:\n"
      "  cairn batch smollm2 --input requests.jsonl --output answers.jsonl\n"
      "  cairn batch model.gguf --input in.jsonl --output out.jsonl --kv-memory 2GB "
      "--logit-hash\n\n"
      "A line of input is {\"custom_id\": \"a\", \"prompt\": \"Once\", \"max_tokens\": 20} or\n"
      "{\"custom_id\": \"b\", \"tokens\": [1, 2, 3]} or OpenAI's {\"custom_id\", \"method\", "
      "\"url\",\n"
      "\"body\"} for /v1/completions and /v1/chat/completions. Answers come as they finish into\n"
      "OUTPUT.journal and, when all are there, in the order of the input into OUTPUT; after a "
      "kill\n"
      "the same command goes on. What is wrong with a request is said in its line.");
  add_model_options(*command, options->model);
  command->add_option("--input", options->input, "Requests as JSON lines")->required();
  command->add_option("--output", options->output, "Answers as JSON lines")->required();
  command->add_flag("--logit-hash", options->logit_hash,
                    "With each answer XXH64 over the bits of the logits that chose its tokens");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing but errors");
  add_context_option(*command, options->model);
  add_chat_template_option(*command, options->model);
  add_serving_options(*command, options->serving);
  command->callback([options] { run_batch(*options); });
}

}  // namespace cairn::cli
