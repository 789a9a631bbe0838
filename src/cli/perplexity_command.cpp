#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/logits_report.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "engine/session.h"

namespace cairn::cli {
namespace {

struct PerplexityOptions {
  ModelOptions model;
  std::string file;
  std::int32_t window = 512;
  bool json = false;
};

// Sums -log p(next token) over the second half of one window.
class WindowScore final : public schedule::RequestObserver {
 public:
  explicit WindowScore(std::span<const TokenId> tokens) : tokens_(tokens) {}

  schedule::Next on_token(const schedule::TokenEvent& /*event*/) override {
    return schedule::Next::go_on;
  }
  void on_logits(std::int32_t /*choice*/, std::int32_t position,
                 std::span<const float> logits) override {
    const TokenId next = tokens_[static_cast<std::size_t>(position) + 1];
    sum_ += log_sum_exp(logits) - static_cast<double>(logits[static_cast<std::size_t>(next.value)]);
    ++count_;
  }
  void on_finished(const schedule::FinishedEvent& /*event*/) override {}

  double sum() const { return sum_; }
  std::int64_t count() const { return count_; }

 private:
  std::span<const TokenId> tokens_;
  double sum_ = 0;
  std::int64_t count_ = 0;
};

struct Score {
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t windows = 0;
  double mean() const { return sum / static_cast<double>(count); }
};

// Windows side by side, each from its own BOS where the model has one; only the second half of a
// window counts, so that every scored token has at least window / 2 tokens before it.
Score score_windows(engine::Session& session, const text::Vocabulary& vocabulary,
                    std::span<const TokenId> tokens, std::int32_t window) {
  const auto size = static_cast<std::size_t>(window);
  Score score;
  Progress progress("windows", static_cast<std::int64_t>(tokens.size() / size),
                    ProgressUnit::items);
  for (std::size_t begin = 0; begin + size <= tokens.size(); begin += size) {
    std::vector<TokenId> prompt(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                tokens.begin() + static_cast<std::ptrdiff_t>(begin + size - 1));
    if (vocabulary.add_bos && vocabulary.bos) prompt.front() = *vocabulary.bos;
    WindowScore observer(tokens.subspan(begin, size));
    Request request = session.new_request(std::move(prompt));
    request.max_tokens = 0;
    request.logits_from = window / 2;
    request.observer = &observer;
    session.submit(std::move(request));
    session.run_until_idle();
    score.sum += observer.sum();
    score.count += observer.count();
    progress.update(++score.windows);
  }
  return score;
}

void run_perplexity(const PerplexityOptions& options) {
  const std::string text = read_text(std::nullopt, options.file, "text");
  Session owner(options.model.threads);
  const auto loaded = load(options.model, owner.context(), {});
  const std::vector<TokenId> tokens =
      loaded->tokenizer().encode(text, {.add_special = true, .parse_special = false});
  if (tokens.size() < static_cast<std::size_t>(options.window)) {
    fail(ErrorKind::invalid_argument,
         "{}: {} tokens do not fill a window of {}; give a longer text or a smaller --window",
         options.file, tokens.size(), options.window);
  }
  EngineOptions engine = engine_options(options.model);
  engine.context_tokens = options.window;
  engine.max_logit_rows = 64;
  engine.prefix_cache = false;
  engine::Session session(*loaded, engine);
  const Score score =
      score_windows(session, loaded->tokenizer().vocabulary(), tokens, options.window);
  const double perplexity = std::exp(score.mean());
  if (options.json) {
    fmt::print(
        "{{\"perplexity\": {:.6f}, \"nll\": {:.8f}, \"scored_tokens\": {}, \"windows\": {}, "
        "\"window_tokens\": {}}}\n",
        perplexity, score.mean(), score.count, score.windows, options.window);
  } else {
    fmt::print(
        "perplexity {:.4f} (mean negative log-likelihood {:.5f}, {} tokens scored in {} "
        "windows of {})\n",
        perplexity, score.mean(), score.count, score.windows, options.window);
  }
}

}  // namespace

void add_perplexity_command(CLI::App& app) {
  auto options = std::make_shared<PerplexityOptions>();
  CLI::App* command = app.add_subcommand("perplexity", "Measure how well a model predicts a text");
  command->footer(
      "Examples:\n"
      "  cairn perplexity smollm2 book.txt\n"
      "  cairn perplexity model.gguf book.txt --window 1024 --json\n\n"
      "The text is cut into windows; the second half of each is scored, as llama.cpp does.");
  add_model_options(*command, options->model);
  command->add_option("FILE", options->file, "The text; -: standard input")->required();
  command->add_option("--window", options->window, "Tokens of a window")
      ->check(CLI::Range(4, 1 << 24))
      ->capture_default_str();
  add_json_option(*command, options->json);
  command->callback([options] { run_perplexity(*options); });
}

}  // namespace cairn::cli
