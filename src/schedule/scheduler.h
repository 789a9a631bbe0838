#pragma once
// Decides what every step computes, under a budget of rows, sequences and pages. Pure decisions: no
// clock, no thread, no tensor; time comes in as an argument. The policies are files of their own
// (policies/).
//
//   plan     decodes first (one row each), then chunks of started prompts, then new sequences in
//            order, while rows, sequences and pages last. Where a page is lacking, the sequence
//            that has the least to lose gives all of its own and waits again (preemption)
//   commit   appends what was drawn, tells the observers, ends what is finished, frees its pages
//
// Somebody always gets on (M3): of those that run, the one of highest rank never gives up a page
// and can have every other; and it fits, or its request would have been refused. Ranks never
// change, and whoever waits for pages is passed by max_bypass others at most, so everybody comes to
// be the one of highest rank.
//
// Choices of one request share the prompt's pages: the first computes it, the others fork.
//
// Not thread-safe, except prepare(). plan() and commit() do not allocate.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/paged_cache.h"
#include "schedule/policies/chunking.h"
#include "schedule/policies/forecast.h"
#include "schedule/policies/order.h"
#include "schedule/scheduler_options.h"
#include "schedule/scheduler_statistics.h"
#include "schedule/step.h"
#include "schedule/step_price.h"
#include "schedule/waiting_line.h"

namespace cairn::schedule {

class Scheduler {
 public:
  /// `cache` and `price` must outlive this. Throws invalid_argument for options that contradict
  /// each other.
  Scheduler(const SchedulerOptions& options, cache::PagedCache& cache, const StepPrice& price);

  const SchedulerOptions& options() const { return options_; }
  const SchedulerStatistics& statistics() const { return statistics_; }
  std::size_t page_group_count() const { return cache_.groups().size(); }

  /// Checks a request and makes its sequences. Thread-safe. Throws invalid_argument or
  /// out_of_memory.
  std::unique_ptr<LiveRequest> prepare(Request request) const;

  /// Queues a prepared request. REQUIRES: room for its sequences within max_waiting.
  void accept(std::unique_ptr<LiveRequest> live, base::TimePoint now);
  /// Ends all sequences of a request, in any state; false if there is none.
  bool cancel(RequestId id);
  void cancel_all();

  /// Fills `plan`; empty if nothing can run, which is only the case when nothing waits or runs.
  void plan(base::TimePoint now, StepPlan& plan);
  /// REQUIRES: `plan` came from plan() and was not committed yet.
  void commit(const StepPlan& plan, const StepResult& result);

  std::int32_t waiting_count() const { return waiting_.size(); }
  std::int32_t running_count() const { return static_cast<std::int32_t>(running_.size()); }

  /// A sentence about the first fault in the queues, tables or pages, or empty.
  std::string check_integrity() const;
  /// After a fault: forgets all pages; who runs waits again and is computed from the start, with
  /// the same outcome. REQUIRES: no step is in flight.
  void recover();

 private:
  void expire(base::TimePoint now);
  void plan_sequences(StepPlan& plan);
  void plan_running(StepPlan& plan);
  StepBudget prompt_budget(StepPlan& plan);
  void plan_waiting(StepPlan& plan);
  enum class MayPreempt { no, yes };
  /// False if the budget or the pages leave no row for it.
  bool add_rows(Sequence& sequence, MayPreempt may_preempt, StepBudget& budget, StepPlan& plan);
  bool take_pages(Sequence& sequence, MayPreempt may_preempt, const StepBudget& budget,
                  SequenceStep& step, StepPlan& plan);
  void drop_rows(const Sequence& sequence, StepPlan& plan);
  /// How many of those that run outrank it, itself included.
  std::size_t rank_of(const Sequence& sequence) const;
  void finish_plan(StepPlan& plan);

  bool start(Sequence& sequence);
  bool has_time(const Sequence& sequence);
  std::optional<cache::TableId> open_table(const Sequence& sequence);
  std::optional<cache::TableId> fork_first(const Sequence& sequence);
  void run(Sequence& sequence, cache::TableId table);
  void fork_siblings(const Sequence& first);
  void join_running(Sequence& sequence);
  void preempt(Sequence& sequence);
  void put_back(Sequence& sequence);

  void commit_sequence(Sequence& sequence, const SequenceStep& step, const SequenceResult& outcome,
                       const StepResult& result);
  void append_token(Sequence& sequence, const TokenScore& score, const StepResult& result);
  void finish(Sequence& sequence, FinishReason reason);
  void reap();
  Sequence& writable(const Sequence& sequence);

  void offer(Sequence& beam, const TokenScore& score, const StepResult& result);
  void advance_search(LiveRequest& live);
  void move_beams(LiveRequest& live);
  void finish_search(LiveRequest& live, FinishReason reason);
  /// So that others of its request can run where slots or pages lack. False if none is idle.
  bool release_idle_beam();

  SchedulerOptions options_;
  cache::PagedCache& cache_;
  const StepPrice& price_;
  bool has_windows_ = false;
  std::unique_ptr<Order> order_;
  std::vector<std::unique_ptr<LiveRequest>> requests_;  // in order of arrival
  WaitingLine waiting_;
  Forecast forecast_;
  std::vector<Sequence*> running_;     // by rank
  std::vector<SequenceStep> prompts_;  // of the step being planned; decodes are in the plan already
  StepBudget budget_;                  // what they have left
  SchedulerStatistics statistics_;
  std::int64_t arrivals_ = 0;
};

}  // namespace cairn::schedule
