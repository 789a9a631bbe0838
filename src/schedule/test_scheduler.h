#pragma once
// For tests: a scheduler with a cache of two page groups (all positions, a window of 40), stepped
// by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "schedule/counting_executor.h"
#include "schedule/scheduler.h"

namespace cairn::schedule {

inline constexpr std::int32_t kVocabulary = 500;

class Recorder final : public RequestObserver {
 public:
  Next on_token(const TokenEvent& event) override {
    tokens.push_back(event.token);
    EXPECT_EQ(event.index, static_cast<int>(tokens.size()) - 1);
    return event.index == stop_at ? Next::stop : Next::go_on;
  }
  void on_finished(const FinishedEvent& event) override { finished.push_back(event); }

  std::vector<TokenId> tokens;
  std::vector<FinishedEvent> finished;
  int stop_at = -1;
};

/// Scheduler, cache and fake executor, stepped by hand.
class SchedulerTest : public ::testing::Test {
 protected:
  void start(SchedulerOptions options, std::int32_t pages = 64) {
    std::vector<cache::StateSpec> states;
    for (const std::int32_t window : windows_) {
      states.emplace_back(cache::PagedState{1, 8, 8, window});
    }
    const auto groups = cache::group_layers(states);
    cache::PagedCacheOptions cache_options;
    cache_options.page_counts.assign(groups.size(), pages);
    cache_options.share_prefixes = share_prefixes_;
    cache_options.max_sequences = options.max_sequences;
    cache_options.sequence_tokens = options.context_tokens;
    cache_options.chunk_tokens = options.max_batch_tokens;
    cache_.emplace(groups, cache_options);
    options.vocabulary = kVocabulary;
    scheduler_.emplace(options, *cache_, *price_);
    executor_.emplace(
        groups, CountingExecutor::Options{cache_options.page_tokens, cache_options.page_counts,
                                          kVocabulary, options.max_sequences});
  }

  SchedulerOptions small() {
    SchedulerOptions options;
    options.context_tokens = 200;
    options.max_sequences = 4;
    options.max_batch_tokens = 32;
    options.max_logit_rows = 8;
    return options;
  }

  Request request(std::int32_t prompt_count, std::int32_t max_tokens, int start = 0) {
    Request request;
    for (std::int32_t i = 0; i < prompt_count; ++i) request.prompt.emplace_back(start + i);
    request.max_tokens = max_tokens;
    return request;
  }

  RequestId submit(Request request, double now_seconds = 0) {
    const RequestId id(++ids_);
    request.id = id;
    const base::TimePoint now{static_cast<std::int64_t>(now_seconds * 1e9)};
    scheduler_->accept(scheduler_->prepare(std::move(request)), now);
    return id;
  }
  RequestId submit(Request request, RequestObserver& observer, double now_seconds = 0) {
    request.observer = &observer;
    return submit(std::move(request), now_seconds);
  }

  /// One step; returns the rows of each sequence in the plan.
  std::vector<std::int32_t> step(std::int64_t now = 0) {
    scheduler_->plan(base::TimePoint{now}, plan_);
    EXPECT_EQ(scheduler_->check_integrity(), "");
    std::vector<std::int32_t> rows;
    for (const SequenceStep& each : plan_.sequences) rows.push_back(each.token_count);
    if (plan_.empty()) return rows;
    executor_->collect(executor_->submit(plan_), result_);
    scheduler_->commit(plan_, result_);
    EXPECT_EQ(scheduler_->check_integrity(), "");
    EXPECT_EQ(executor_->fault(), "");
    return rows;
  }

  void run() {
    while (!step().empty()) {
    }
    EXPECT_EQ(cache_->owned_pages(), 0);
  }

  /// What a request gives when it is alone.
  static std::vector<TokenId> alone(const Request& request, std::int32_t choice = 0) {
    std::vector<TokenId> tokens = request.prompt;
    for (std::int32_t i = 0; i < *request.max_tokens; ++i) {
      tokens.push_back(CountingExecutor::next_token(tokens, request.sampling.seed, choice,
                                                    static_cast<std::int32_t>(kVocabulary)));
    }
    return {tokens.begin() + static_cast<std::ptrdiff_t>(request.prompt.size()), tokens.end()};
  }

  std::string refusal(Request request, ErrorKind kind) {
    try {
      scheduler_->prepare(std::move(request));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.message();
    }
    return "accepted";
  }

  std::optional<cache::PagedCache> cache_;
  UnknownPrice unknown_price_;
  const StepPrice* price_ = &unknown_price_;
  std::vector<std::int32_t> windows_ = {0, 40};  // of the page groups
  bool share_prefixes_ = true;
  std::optional<Scheduler> scheduler_;
  std::optional<CountingExecutor> executor_;
  StepPlan plan_;
  StepResult result_;
  std::int64_t ids_ = 0;
};

}  // namespace cairn::schedule
