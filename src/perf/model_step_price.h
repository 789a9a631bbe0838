#pragma once
// The price of a real model's steps: the roofline of its shapes on this machine, corrected by what
// steps really took. The scheduler asks it, the executor teaches it (schedule/step_price.h).

#include "checkpoint/checkpoint.h"
#include "engine/engine_options.h"
#include "perf/part_factors.h"
#include "perf/rates.h"
#include "perf/step_parts.h"
#include "schedule/step_price.h"

namespace cairn::perf {

class ModelStepPrice final : public schedule::StepPrice {
 public:
  /// No weight is read; the checkpoint may go afterwards.
  ModelStepPrice(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options,
                 const Rates& rates);

  std::optional<double> seconds(const schedule::StepPlan& plan) const override;
  void learn(const schedule::StepPlan& plan, double seconds) override;

  const PartFactors& factors() const { return factors_; }

 private:
  StepRoofline roofline_;
  PartFactors factors_;
};

}  // namespace cairn::perf
