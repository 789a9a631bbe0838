#pragma once
// The roofline of a step, from its plan alone and without running the model on shapes: split into
// parts that grow with different things, so that what each really takes can be learned.
//
//   weights   bytes of all matrices, read once a step                        / bandwidth
//   rows      products of a row with the layers' matrices                    / int8 operations
//   logits    products of a row of logits with the output matrix             / int8 operations
//   keys      bytes of the keys and values that a sequence sees, read once   / bandwidth
//   scores    pairs of a row and a key that it sees                          / f32 operations
//
// Layers of different windows are taken to have heads of the same number and size.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/model_cost.h"
#include "perf/rates.h"
#include "schedule/step.h"

namespace cairn::perf {

enum class StepPart { weights, rows, logits, keys, scores };
inline constexpr std::size_t kStepPartCount = 5;

/// Seconds, by StepPart.
using StepParts = std::array<double, kStepPartCount>;

class StepRoofline {
 public:
  StepRoofline(ModelCost& cost, const Rates& rates);

  /// Does not allocate.
  StepParts parts(const schedule::StepPlan& plan) const;

 private:
  struct Group {
    std::int32_t window_tokens = 0;  // 0: every key is visible
    double seconds_per_key = 0;      // of all its layers
    double seconds_per_score = 0;
  };
  std::vector<Group> groups_;
  double seconds_per_step_ = 0;
  double seconds_per_row_ = 0;
  double seconds_per_logit_row_ = 0;
};

}  // namespace cairn::perf
