#pragma once
// How much longer than by the roofline each part of a step takes here, learned from steps:
//
//   seconds = sum over parts of factor * part
//
// A Kalman filter whose state are the factors, in a slow random walk: parts that no step stresses
// keep what was learned of them, and one slow step (the core was taken away) moves little. Factors
// stay within bounds. Not thread-safe; does not allocate.

#include <array>
#include <cstddef>

#include "perf/step_parts.h"

namespace cairn::perf {

class PartFactors {
 public:
  /// At what well-made kernels usually reach.
  PartFactors();

  double seconds(const StepParts& parts) const;
  /// What a step with these parts took. Without effect where it is not above 0.
  void learn(const StepParts& parts, double seconds);

  const std::array<double, kStepPartCount>& factors() const { return factors_; }

 private:
  std::array<double, kStepPartCount> factors_;
  std::array<StepParts, kStepPartCount> covariance_{};
};

}  // namespace cairn::perf
