#include "tensor/formats/scale_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

// The extreme value may be cut or may stop short of the extreme level by this much of a level.
constexpr int kCandidates = 9;  // on each side
constexpr float kLevelsPerCandidate = 0.1f;

// Sums are double: squares of floats neither overflow nor vanish there.
struct Squares {
  double error = std::numeric_limits<double>::infinity();
  float scale = 0.0f;
};

Squares refine_scale(const float* values, int count, float scale, NearestLevel nearest) {
  const float inverse = inverse_or_zero(scale);
  double value_level = 0.0;
  double level_level = 0.0;
  double value_value = 0.0;
  for (int i = 0; i < count; ++i) {
    const double value = values[i];
    const double level = nearest(values[i] * inverse);
    value_level += value * level;
    level_level += level * level;
    value_value += value * value;
  }
  if (level_level == 0.0) return {value_value, 0.0f};
  // min over s of sum (x - s l)^2 = sum x^2 - (sum x l)^2 / sum l^2, at s = sum x l / sum l^2.
  return {value_value - value_level * value_level / level_level,
          static_cast<float>(value_level / level_level)};
}

struct OffsetSquares {
  double error = std::numeric_limits<double>::infinity();
  OffsetFit fit;
};

OffsetSquares refine_offset(const float* values, int count, float highest, OffsetFit start) {
  const float inverse = inverse_or_zero(start.scale);
  double sum_q = 0.0;
  double sum_qq = 0.0;
  double sum_x = 0.0;
  double sum_xq = 0.0;
  double sum_xx = 0.0;
  for (int i = 0; i < count; ++i) {
    const double q = nearest_integer((values[i] + start.offset) * inverse, 0.0f, highest);
    const double x = values[i];
    sum_q += q;
    sum_qq += q * q;
    sum_x += x;
    sum_xq += x * q;
    sum_xx += x * x;
  }
  // Normal equations of sum (x - s q + o)^2, with o held at 0 where it would be negative.
  const double determinant = count * sum_qq - sum_q * sum_q;
  double scale = determinant > 0.0 ? (count * sum_xq - sum_x * sum_q) / determinant : 0.0;
  double offset = (scale * sum_q - sum_x) / count;
  if (offset < 0.0 || scale < 0.0) {
    offset = 0.0;
    scale = sum_qq > 0.0 ? std::max(0.0, sum_xq / sum_qq) : 0.0;
  }
  const double error = sum_xx + scale * scale * sum_qq + count * offset * offset -
                       2.0 * scale * sum_xq + 2.0 * offset * sum_x - 2.0 * scale * offset * sum_q;
  return {error, {static_cast<float>(scale), static_cast<float>(offset)}};
}

}  // namespace

float nearest_integer(float value, float lowest, float highest) {
  return std::nearbyint(std::min(std::max(lowest, value), highest));
}

float fit_scale(const float* values, int count, float extreme_level, NearestLevel nearest) {
  const float extreme = extreme_of(values, count);
  Squares best;
  for (int candidate = -kCandidates; candidate <= kCandidates; ++candidate) {
    const float level = extreme_level + kLevelsPerCandidate * static_cast<float>(candidate);
    for (const float sign : {1.0f, -1.0f}) {
      const Squares found = refine_scale(values, count, sign * extreme / level, nearest);
      if (found.error < best.error) best = found;
    }
  }
  return best.scale;
}

OffsetFit fit_scale_and_offset(const float* values, int count, float highest) {
  const auto [lowest_value, highest_value] = std::minmax_element(values, values + count);
  const float offset = std::max(0.0f, -*lowest_value);
  const float range = std::max(0.0f, *highest_value) + offset;
  OffsetSquares best;
  for (int candidate = -kCandidates; candidate <= kCandidates; ++candidate) {
    const float levels = highest + kLevelsPerCandidate * static_cast<float>(candidate);
    const OffsetSquares found = refine_offset(values, count, highest, {range / levels, offset});
    if (found.error < best.error) best = found;
  }
  return best.fit;
}

ScaledGroups fit_scaled_groups(const float* values, int group_count, float extreme_level,
                               float scale_levels, NearestLevel nearest) {
  const int group_size = kSuperBlockValues / group_count;
  std::array<float, kMaxGroups> scales{};
  for (int group = 0; group < group_count; ++group) {
    scales[group] = fit_scale(values + group * group_size, group_size, extreme_level, nearest);
  }
  const SignedSteps steps =
      signed_steps(scales.data(), group_count, static_cast<int>(scale_levels));
  const float inverse = inverse_or_zero(half_to_float(steps.scale));
  ScaledGroups groups{.d = steps.scale};
  for (int group = 0; group < group_count; ++group) {
    groups.scales[group] = static_cast<std::int8_t>(
        nearest_integer(scales[group] * inverse, -scale_levels, scale_levels - 1.0f));
  }
  return groups;
}

OffsetGroups fit_offset_groups(const float* values, int group_count, float highest,
                               float highest_scale) {
  const int group_size = kSuperBlockValues / group_count;
  std::array<OffsetFit, kMaxGroups> fits{};
  OffsetFit largest;
  for (int group = 0; group < group_count; ++group) {
    fits[group] = fit_scale_and_offset(values + group * group_size, group_size, highest);
    largest.scale = std::max(largest.scale, fits[group].scale);
    largest.offset = std::max(largest.offset, fits[group].offset);
  }
  OffsetGroups groups{.d = scale_to_half(largest.scale / highest_scale),
                      .dmin = scale_to_half(largest.offset / highest_scale)};
  const float d = half_to_float(groups.d);
  const float dmin = half_to_float(groups.dmin);
  for (int group = 0; group < group_count; ++group) {
    const float scale =
        nearest_integer(fits[group].scale * inverse_or_zero(d), 0.0f, highest_scale);
    const float offset =
        nearest_integer(fits[group].offset * inverse_or_zero(dmin), 0.0f, highest_scale);
    groups.scales[group] = static_cast<std::uint8_t>(scale);
    groups.offsets[group] = static_cast<std::uint8_t>(offset);
    const float inverse = inverse_or_zero(d * scale);
    for (int i = group * group_size; i < (group + 1) * group_size; ++i) {
      const float q = nearest_integer((values[i] + dmin * offset) * inverse, 0.0f, highest);
      groups.q[i] = static_cast<std::uint8_t>(q);
    }
  }
  return groups;
}

}  // namespace cairn::tensor::formats
