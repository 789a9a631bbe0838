#include "perf/model_step_price.h"

namespace cairn::perf {
namespace {

StepRoofline roofline_of(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options,
                         const Rates& rates) {
  ModelCost cost(checkpoint, options);
  return {cost, rates};
}

}  // namespace

ModelStepPrice::ModelStepPrice(const checkpoint::Checkpoint& checkpoint,
                               const EngineOptions& options, const Rates& rates)
    : roofline_(roofline_of(checkpoint, options, rates)) {}

std::optional<double> ModelStepPrice::seconds(const schedule::StepPlan& plan) const {
  return factors_.seconds(roofline_.parts(plan));
}

void ModelStepPrice::learn(const schedule::StepPlan& plan, double seconds) {
  factors_.learn(roofline_.parts(plan), seconds);
}

}  // namespace cairn::perf
