#pragma once
// What a step would take, for decisions and for comparison with the clock. Given from outside: the
// performance model implements it, an engine without one uses UnknownPrice.

#include <optional>

#include "schedule/step.h"

namespace cairn::schedule {

class StepPrice {
 public:
  virtual ~StepPrice() = default;
  /// Nothing: not known. A pure function of the plan.
  virtual std::optional<double> seconds(const StepPlan& plan) const = 0;
};

class UnknownPrice final : public StepPrice {
 public:
  std::optional<double> seconds(const StepPlan&) const override { return std::nullopt; }
};

}  // namespace cairn::schedule
