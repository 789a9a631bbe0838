#pragma once
// Who carries a plan out: the model on a backend (engine/model_executor), the simulator, a fake one
// for tests. Called by the core's thread only. Neither function throws.

#include "base/ids.h"
#include "schedule/step.h"

namespace cairn::schedule {

/// A step in flight.
using Ticket = base::Id<struct StepTag, std::int64_t>;

class Executor {
 public:
  virtual ~Executor() = default;
  /// Begins a step. What the plan points to stays in place until collect() of the ticket.
  virtual Ticket submit(const StepPlan& plan) = 0;
  /// Waits for the step and fills `result` (cleared before). Tickets are collected in their order.
  virtual void collect(Ticket ticket, StepResult& result) = 0;
};

}  // namespace cairn::schedule
