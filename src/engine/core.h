#pragma once
// The engine's loop, deterministic: what it does follows from what was submitted between which
// steps. Clock, price and executor are given from outside, so that the simulator and the tests run
// this very code.
//
//   step():  drain inbox -> scheduler.plan(now) -> executor.submit -> executor.collect
//            -> scheduler.commit, which tells the requests' observers -> tell the step observer
//
// A fault in page tables or queues is logged, and who runs is computed again from the start, with
// the same outcome: it is never fatal.
//
// submit(), cancel() and cancel_all() are thread-safe and may be called from observers; everything
// else belongs to one thread. A step does not allocate and does not throw.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/step_observer.h"
#include "schedule/executor.h"
#include "schedule/scheduler.h"
#include "schedule/step_price.h"

namespace cairn::engine {

/// All must outlive the core.
struct CoreParts {
  schedule::Scheduler& scheduler;
  schedule::Executor& executor;
  const schedule::StepPrice& price;
  const base::Clock& clock;
  const base::Log& log;
  /// Steps between two looks at the integrity of queues and pages while requests run; it is always
  /// checked when the last has finished. 1: after every step, for tests.
  std::int64_t check_interval = 4096;
};

class Core {
 public:
  explicit Core(const CoreParts& parts);

  /// Queues a request for the next step. Throws invalid_argument or out_of_memory if it can never
  /// run, unavailable if max_waiting sequences queue already.
  RequestId submit(Request request);
  /// In any state; unknown and finished requests are ignored. Done in the next step.
  void cancel(RequestId id);
  void cancel_all();

  /// False if there was nothing to compute.
  bool step();

  void set_step_observer(StepObserver* observer) { step_observer_ = observer; }

 private:
  void drain_inbox();
  void update_waiting();
  StepStatistics describe_plan(base::TimePoint started) const;
  void check_integrity();

  CoreParts parts_;
  StepObserver* step_observer_ = nullptr;
  schedule::StepPlan plan_;
  schedule::StepResult result_;
  std::int64_t steps_ = 0;
  bool busy_ = false;

  std::vector<std::unique_ptr<schedule::LiveRequest>> incoming_;  // taken from the inbox
  std::vector<RequestId> cancelling_;

  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<schedule::LiveRequest>> inbox_;
  std::vector<RequestId> cancels_;
  bool cancel_all_ = false;
  std::int32_t inbox_sequences_ = 0;
  std::int32_t waiting_sequences_ = 0;  // in the scheduler, never less than really
  std::int64_t ids_ = 0;
};

}  // namespace cairn::engine
