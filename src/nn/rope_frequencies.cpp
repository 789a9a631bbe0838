#include <algorithm>
#include <cmath>
#include <numbers>

#include "nn/rope.h"

// Whole expressions stay in f32 where transformers computes on f32 tensors: rope turns a position
// of some ten thousand by these, so the last bit of a frequency is seen.

namespace cairn::nn {
namespace {

/// base^(2i/n), i in [0, n/2)
std::vector<float> position_frequencies(const RopeConfig& config) {
  std::vector<float> frequencies;
  const auto dimensions = static_cast<float>(config.dimensions);
  for (std::int64_t i = 0; i < config.dimensions / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / dimensions;
    frequencies.push_back(std::pow(static_cast<float>(config.base), exponent));
  }
  return frequencies;
}

/// Long wavelengths are stretched by `factor`, short ones stay, those between are blended.
void scale_llama3(const RopeConfig& config, std::vector<float>& inverse) {
  const auto context = static_cast<float>(config.original_context);
  const auto factor = static_cast<float>(config.factor);
  const auto low = static_cast<float>(config.low_frequency_factor);
  const auto high = static_cast<float>(config.high_frequency_factor);
  for (float& frequency : inverse) {
    const float wavelength = 2.0F * std::numbers::pi_v<float> / frequency;
    if (wavelength > context / low) {
      frequency /= factor;
    } else if (wavelength >= context / high) {
      const float smooth = (context / wavelength - low) / (high - low);
      frequency = (1.0F - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

/// The dimension whose frequency turns `rotations` times over the original context.
double correction_dimension(const RopeConfig& config, double rotations) {
  return static_cast<double>(config.dimensions) *
         std::log(config.original_context / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(config.base));
}

/// Blends stretched (low) and original (high) frequencies along a ramp over the dimensions.
void scale_yarn(const RopeConfig& config, std::vector<float>& inverse) {
  double low = correction_dimension(config, config.beta_fast);
  double high = correction_dimension(config, config.beta_slow);
  if (config.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(config.dimensions - 1));
  if (low == high) high += 0.001;  // no division by zero
  const std::vector<float> frequencies = position_frequencies(config);
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0F,
        1.0F);
    const float stretched = 1.0F / (static_cast<float>(config.factor) * frequencies[i]);
    const float original = 1.0F - ramp;
    inverse[i] = stretched * (1.0F - original) + inverse[i] * original;
  }
}

}  // namespace

std::vector<float> inverse_frequencies(const RopeConfig& config) {
  std::vector<float> inverse = position_frequencies(config);
  for (float& frequency : inverse) frequency = 1.0F / frequency;
  switch (config.scaling) {
    case RopeScaling::none:
      break;
    case RopeScaling::linear:
      for (float& frequency : inverse) frequency /= static_cast<float>(config.factor);
      break;
    case RopeScaling::llama3:
      scale_llama3(config, inverse);
      break;
    case RopeScaling::yarn:
      scale_yarn(config, inverse);
      break;
  }
  return inverse;
}

}  // namespace cairn::nn
