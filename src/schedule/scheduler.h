#pragma once
// Decides what every step computes, under a budget of rows, sequences and pages. Pure decisions: no
// clock, no thread, no tensor; time comes in as an argument. The policies are files of their own
// (policies/).
//
//   plan     decodes first (one row each), then chunks of started prompts, then new sequences in
//   order,
//            while rows, sequences and pages last
//   commit   appends what was drawn, tells the observers, ends what is finished, frees its pages
//
// Not thread-safe, except prepare(). plan() and commit() do not allocate.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cache/cache_manager.h"
#include "schedule/policies/chunking.h"
#include "schedule/policies/order.h"
#include "schedule/scheduler_options.h"
#include "schedule/step.h"

namespace cairn::schedule {

class Scheduler {
 public:
  /// `cache` must outlive this. Throws invalid_argument for options that contradict each other.
  Scheduler(const SchedulerOptions& options, cache::CacheManager& cache);

  const SchedulerOptions& options() const { return options_; }
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

  std::int32_t waiting_count() const { return static_cast<std::int32_t>(waiting_.size()); }
  std::int32_t running_count() const { return static_cast<std::int32_t>(running_.size()); }

  /// A sentence about the first fault in the queues, tables or pages, or empty.
  std::string check_integrity() const;

 private:
  void expire(base::TimePoint now);
  void plan_running(StepPlan& plan, StepBudget& budget);
  void admit_waiting(base::TimePoint now, StepPlan& plan, StepBudget& budget);
  bool admit(Sequence& sequence);
  /// False if the budget leaves no row for it.
  bool add_step(Sequence& sequence, StepPlan& plan, StepBudget& budget);
  void commit_sequence(Sequence& sequence, const SequenceStep& step, const SequenceResult& outcome,
                       const StepResult& result);
  void finish(Sequence& sequence, FinishReason reason);
  void reap();
  Sequence& writable(const Sequence& sequence);

  SchedulerOptions options_;
  cache::CacheManager& cache_;
  std::unique_ptr<Order> order_;
  std::vector<std::unique_ptr<LiveRequest>> requests_;  // in order of arrival
  std::vector<Sequence*> waiting_;
  std::vector<Sequence*> running_;  // in order of admission
  std::int64_t arrivals_ = 0;
};

}  // namespace cairn::schedule
