#include "perf/part_factors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cairn::perf {
namespace {

constexpr double kLeast = 0.2;
constexpr double kMost = 50;
constexpr double kFirstVariance = 1;     // of a factor, before any step
constexpr double kDriftVariance = 2e-5;  // of a factor, a step
constexpr double kNoise = 0.1;           // of a step, of what it takes
constexpr double kSurprise = 0.5;        // of what was expected; beyond, trust falls

double dot(const StepParts& a, const StepParts& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

PartFactors::PartFactors() : factors_{1.3, 1.5, 1.5, 1.5, 3} {
  for (std::size_t i = 0; i < kStepPartCount; ++i) covariance_[i][i] = kFirstVariance;
}

double PartFactors::seconds(const StepParts& parts) const {
  return dot(factors_, parts);
}

void PartFactors::learn(const StepParts& parts, double seconds) {
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (!(seconds > 0) || !(all > 0)) return;
  StepParts shares = parts;  // so that steps of any length teach alike
  for (double& share : shares) share /= all;
  const double expected = dot(factors_, shares);
  const double surprise = seconds / all - expected;
  const double trust = std::min(1.0, kSurprise * expected / std::abs(surprise));

  StepParts gain{};  // covariance * shares, then over the variance of the surprise
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    if (covariance_[i][i] < kFirstVariance) covariance_[i][i] += kDriftVariance;
    gain[i] = dot(covariance_[i], shares);
  }
  const double variance = dot(gain, shares) + std::pow(kNoise * expected, 2);
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    factors_[i] = std::clamp(factors_[i] + gain[i] * trust * surprise / variance, kLeast, kMost);
  }
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    for (std::size_t j = 0; j < kStepPartCount; ++j) {
      covariance_[i][j] -= trust * gain[i] * gain[j] / variance;
    }
  }
}

}  // namespace cairn::perf
