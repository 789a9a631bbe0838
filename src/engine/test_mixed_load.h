#pragma once
// For tests: a load of mixed requests (short and long prompts, shared beginnings, greedy and
// sampled, several choices), and the ways to run it that must not change a bit of any answer: one
// by one, in batches, in chunks, from the cache, under preemption, beside requests that leave.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/logits_hash.h"
#include "engine/session.h"

namespace cairn::engine {

struct MixedRequest {
  std::vector<TokenId> prompt;
  std::int32_t choice_count = 1;
  std::int32_t max_tokens = 0;
  float temperature = 0;
  std::uint64_t seed = 0;
};

struct MixedLoad {
  std::vector<MixedRequest> requests;
  std::int32_t longest = 0;  // prompt and continuation
};

class MixedLoadMaker {
 public:
  MixedLoadMaker(std::int32_t vocabulary, std::int32_t longest_prompt, std::int32_t max_tokens)
      : vocabulary_(vocabulary), longest_prompt_(longest_prompt), max_tokens_(max_tokens) {}

  /// Of sixteen requests in a row one is long, three are of middle length; a third begins with one
  /// of two beginnings; a third is greedy; one in eight has three choices.
  MixedLoad make(std::size_t count) {
    MixedLoad load;
    for (std::size_t i = 0; i < count; ++i) {
      MixedRequest request;
      request.prompt = prompt(i, length(i));
      request.choice_count = i % 8 == 5 ? 3 : 1;
      request.max_tokens = max_tokens_ / 2 + below(max_tokens_ / 2) + 1;
      request.temperature = i % 3 == 0 ? 0.0F : 0.9F;
      request.seed = 1000 + i;
      load.longest = std::max(
          load.longest, static_cast<std::int32_t>(request.prompt.size()) + request.max_tokens);
      load.requests.push_back(std::move(request));
    }
    return load;
  }

 private:
  std::int32_t below(std::int32_t limit) {
    const double draw = base::uniform_draw(77, 3, draws_++, base::DrawPurpose::test);
    return static_cast<std::int32_t>(draw * limit);
  }
  TokenId token() { return TokenId(below(vocabulary_)); }

  std::int32_t length(std::size_t index) {
    if (index % 16 == 3) return longest_prompt_ - below(longest_prompt_ / 10);
    if (index % 5 == 1) return longest_prompt_ / 5 + below(longest_prompt_ / 5);
    return 5 + below(longest_prompt_ / 9);
  }

  std::vector<TokenId> prompt(std::size_t index, std::int32_t length) {
    std::vector<TokenId> tokens;
    if (index % 3 != 1) {
      std::vector<TokenId>& shared = shared_[index % 2];
      while (std::ssize(shared) < longest_prompt_ / 2) shared.push_back(token());
      const auto begin = static_cast<std::size_t>(std::max(1, length * 2 / 3));
      tokens.assign(shared.begin(),
                    shared.begin() + static_cast<std::ptrdiff_t>(std::min(begin, shared.size())));
    }
    while (std::ssize(tokens) < length) tokens.push_back(token());
    return tokens;
  }

  std::int32_t vocabulary_;
  std::int32_t longest_prompt_;
  std::int32_t max_tokens_;
  std::uint32_t draws_ = 0;
  std::vector<TokenId> shared_[2];
};

/// What a request was told: tokens by choice, hashes of the raw logits that chose them.
struct MixedAnswer final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent& event) override {
    tokens[event.choice].push_back(event.token);
    return schedule::Next::go_on;
  }
  void on_logits(std::int32_t choice, std::int32_t position,
                 std::span<const float> logits) override {
    hashes[{choice, position}] = logits_hash(logits);
  }
  void on_finished(const schedule::FinishedEvent& event) override {
    cancelled = cancelled || event.reason == schedule::FinishReason::cancelled;
  }
  std::map<std::int32_t, std::vector<TokenId>> tokens;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> hashes;
  bool cancelled = false;
};

/// One way to run a load.
struct MixedVariant {
  std::string name;
  std::int32_t batch = 8;  // sequences at a time; 1: each request is submitted when it is alone
  std::int32_t chunk = 0;  // prefill_chunk
  bool prefix_cache = true;
  bool warm = false;  // everything ran once before
  std::int32_t page_tokens = 16;
  bool tiny_pool = false;  // little more than the longest sequence
  bool shuffled = false;
  bool half_leaves = false;  // every second request is cancelled midway
  bool priced = false;       // chunks by a price that says another thing each time
};

/// Learns nonsense: 0 to 63 rows are affordable, whatever they are.
class ErraticPrice final : public schedule::StepPrice {
 public:
  static constexpr double kTargetSeconds = 1;
  std::optional<double> seconds(const schedule::StepPlan& plan) const override {
    return plan.row_count / rows_;
  }
  void learn(const schedule::StepPlan& /*plan*/, double seconds) override {
    EXPECT_GT(seconds, 0);
    rows_ = 64 * base::uniform_draw(77, 5, steps_++, base::DrawPurpose::test);
  }

 private:
  double rows_ = 64;
  std::uint32_t steps_ = 0;
};

/// The variants that the issue of exactness names, `one by one` first.
inline std::vector<MixedVariant> mixed_variants() {
  return {{.name = "one by one", .batch = 1, .prefix_cache = false},
          {.name = "batches of 2", .batch = 2, .prefix_cache = false},
          {.name = "batches of 8", .batch = 8, .prefix_cache = false},
          {.name = "batches of 32", .batch = 32, .prefix_cache = false},
          {.name = "chunks of 16", .chunk = 16, .prefix_cache = false},
          {.name = "chunks of 100", .chunk = 100, .prefix_cache = false},
          {.name = "chunks of 512", .chunk = 512, .prefix_cache = false},
          {.name = "prefix cache", .batch = 8},
          {.name = "prefix cache, warm", .batch = 8, .warm = true},
          {.name = "pages of 64", .batch = 8, .page_tokens = 64},
          {.name = "tiny pool", .batch = 16, .tiny_pool = true},
          {.name = "tiny pool, no cache", .batch = 16, .prefix_cache = false, .tiny_pool = true},
          {.name = "shuffled", .batch = 8, .shuffled = true},
          {.name = "half leaves", .batch = 8, .half_leaves = true},
          {.name = "erratic price", .batch = 8, .prefix_cache = false, .priced = true}};
}

class MixedRun {
 public:
  MixedRun(LoadedModel& loaded, const MixedLoad& load, const EngineOptions& base,
           const MixedVariant& variant)
      : load_(load),
        variant_(variant),
        session_(loaded, options(load, base, variant), {.price = &price_}) {
    session_.set_step_observer(&rows_);
  }

  std::deque<MixedAnswer> answers() {
    if (variant_.warm) run_once();
    auto answers = run_once();
    EXPECT_EQ(session_.check_integrity(), "") << variant_.name;
    EXPECT_EQ(session_.used_pages(), 0) << variant_.name;
    return answers;
  }
  std::int32_t median_rows() { return rows_.median(); }
  const schedule::SchedulerStatistics& statistics() const { return session_.statistics(); }

 private:
  struct RowCounter final : StepObserver {
    void on_step(const StepStatistics& step) override { rows.push_back(step.rows); }
    std::int32_t median() {
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
      std::nth_element(rows.begin(), middle, rows.end());
      return *middle;
    }
    std::vector<std::int32_t> rows;
  };

  static EngineOptions options(const MixedLoad& load, EngineOptions options,
                               const MixedVariant& variant) {
    options.context_tokens = (load.longest + 63) / 64 * 64;
    options.max_sequences = variant.batch;
    options.max_waiting = 2 * static_cast<std::int32_t>(load.requests.size()) + 64;
    options.prefill_chunk = variant.chunk;
    options.prefix_cache = variant.prefix_cache;
    options.page_tokens = variant.page_tokens;
    if (variant.priced) options.target_itl_seconds = ErraticPrice::kTargetSeconds;
    const std::int64_t sequences = variant.tiny_pool ? 1 : variant.batch + 4;
    options.kv_tokens = sequences * options.context_tokens;
    return options;
  }

  RequestId submit(std::size_t index, std::deque<MixedAnswer>& answers) {
    const MixedRequest& mixed = load_.requests[index];
    Request request = session_.new_request(mixed.prompt);
    request.choice_count = mixed.choice_count;
    request.max_tokens = mixed.max_tokens;
    request.sampling.temperature = mixed.temperature;
    request.sampling.seed = mixed.seed;
    request.sampling.ignore_eos = true;
    request.logits_from = static_cast<std::int32_t>(mixed.prompt.size()) - 1;
    request.observer = &answers[index];
    return session_.submit(std::move(request));
  }

  std::deque<MixedAnswer> run_once() {
    std::deque<MixedAnswer> answers(load_.requests.size());
    std::vector<RequestId> leaving;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      // 37 is prime to every size that is used: each request once, in another order.
      const std::size_t index = variant_.shuffled ? i * 37 % answers.size() : i;
      const RequestId id = submit(index, answers);
      if (variant_.half_leaves && i % 2 == 0) leaving.push_back(id);
      if (variant_.batch == 1) session_.run_until_idle();
    }
    for (std::size_t step = 1; session_.step(); ++step) {
      // One leaves every other step: some wait, some compute their prompt, some draw.
      if (step % 2 == 0 && step / 2 <= leaving.size()) session_.cancel(leaving[step / 2 - 1]);
    }
    return answers;
  }

  const MixedLoad& load_;
  MixedVariant variant_;
  ErraticPrice price_;
  Session session_;
  RowCounter rows_;
};

inline void expect_equal_answers(const std::deque<MixedAnswer>& found,
                                 const std::deque<MixedAnswer>& expected, const std::string& name) {
  std::size_t finished = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i].cancelled) continue;
    ++finished;
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << name << ", request " << i;
    EXPECT_TRUE(found[i].hashes == expected[i].hashes) << name << ", logits of request " << i;
  }
  EXPECT_GE(finished, expected.size() / 2) << name;
}

/// Runs the load in every way on one model and expects equal tokens and equal logits.
inline void expect_exact(LoadedModel& loaded, const MixedLoad& load, const EngineOptions& base,
                         const std::deque<MixedAnswer>& expected) {
  for (const MixedVariant& variant : mixed_variants()) {
    MixedRun run(loaded, load, base, variant);
    const auto answers = run.answers();
    expect_equal_answers(answers, expected, variant.name);
    const auto& counts = run.statistics();
    fmt::print("{:20} median rows a step {:3}, preemptions {:3}, recomputed {:5}, cached {:5}\n",
               variant.name, run.median_rows(), counts.preemptions, counts.recomputed_tokens,
               counts.cached_tokens);
    if (variant.batch == 8 && !variant.half_leaves) {
      EXPECT_GE(run.median_rows(), 8) << variant.name;
    }
    if (variant.tiny_pool) {
      EXPECT_GT(counts.preemptions, 0) << variant.name;
    }
    if (variant.warm) {
      EXPECT_GT(counts.cached_tokens, 0) << variant.name;
    }
  }
}

}  // namespace cairn::engine
