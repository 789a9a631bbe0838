#pragma once
// What a step would take, for decisions and for comparison with the clock. Given from outside: the
// performance model implements it, an engine without one uses UnknownPrice. It decides when rows
// are computed, never what comes out of them. Belongs to the thread that steps the core.

#include <optional>

#include "schedule/step.h"

namespace cairn::schedule {

class StepPrice {
 public:
  virtual ~StepPrice() = default;
  /// Nothing: not known. Follows from the plan and from what was learned.
  virtual std::optional<double> seconds(const StepPlan& plan) const = 0;
  /// What a step took: executors that have a clock tell it after each. Does not allocate or throw.
  virtual void learn(const StepPlan& /*plan*/, double /*seconds*/) {}
};

class UnknownPrice final : public StepPrice {
 public:
  std::optional<double> seconds(const StepPlan&) const override { return std::nullopt; }
};

}  // namespace cairn::schedule
