#pragma once
// The engine without a model: the very scheduler, cache and core that serve, under a virtual clock,
// with an executor that counts (schedule/counting_executor). Millions of steps a minute; the same
// submissions between the same steps give the same run.
//
//   Simulator simulator(options);
//   simulator.core().submit(std::move(request));
//   while (simulator.step()) {
//   }
//
// Not thread-safe.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cache/paged_cache.h"
#include "engine/core.h"
#include "perf/simulator/linear_price.h"
#include "schedule/counting_executor.h"
#include "schedule/scheduler.h"

namespace cairn::perf {

struct SimulatorOptions {
  schedule::SchedulerOptions scheduler;
  std::vector<std::int32_t> windows{0};     // one page group each; 0: all positions
  std::vector<std::int32_t> page_counts{};  // by group
  std::int32_t page_tokens = 16;
  bool share_prefixes = true;
  LinearPrice::Seconds price{};
  bool checks_content = true;  // every key is compared with what it must hold
  bool gives_logits = true;    // to requests that want them
};

/// Counts, and lets time pass.
class SimulatedExecutor final : public schedule::Executor {
 public:
  /// All must outlive this.
  SimulatedExecutor(schedule::CountingExecutor& executor, const schedule::StepPrice& price,
                    base::VirtualClock& clock)
      : executor_(executor), price_(price), clock_(clock) {}

  schedule::Ticket submit(const schedule::StepPlan& plan) override;
  void collect(schedule::Ticket ticket, schedule::StepResult& result) override;

  /// Of the last step; its sequences may be gone.
  const schedule::StepPlan& plan() const { return *plan_; }
  void set_observer(std::function<void(const schedule::StepPlan&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  schedule::CountingExecutor& executor_;
  const schedule::StepPrice& price_;
  base::VirtualClock& clock_;
  const schedule::StepPlan* plan_ = nullptr;
  std::function<void(const schedule::StepPlan&)> observer_;
};

class Simulator {
 public:
  /// Throws invalid_argument for options that contradict each other.
  explicit Simulator(const SimulatorOptions& options);
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  engine::Core& core() { return core_; }
  const schedule::Scheduler& scheduler() const { return scheduler_; }
  const cache::PagedCache& cache() const { return cache_; }
  base::TimePoint now() const { return clock_.now(); }
  /// Lets time pass in which nothing runs.
  void advance_to(base::TimePoint time);

  /// False if there was nothing to do.
  bool step() { return core_.step(); }
  const schedule::StepPlan& last_plan() const { return executor_.plan(); }
  /// Called when a step's time has passed and before it is committed.
  void set_plan_observer(std::function<void(const schedule::StepPlan&)> observer) {
    executor_.set_observer(std::move(observer));
  }

  /// The first fault of pages, tables, queues or content, or empty. As expensive as a step.
  std::string check() const;

 private:
  cache::PagedCache cache_;
  LinearPrice price_;
  schedule::Scheduler scheduler_;
  base::VirtualClock clock_;
  base::Log log_{base::LogLevel::off};
  schedule::CountingExecutor counting_;
  SimulatedExecutor executor_;
  engine::Core core_;
};

}  // namespace cairn::perf
