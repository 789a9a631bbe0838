#pragma once
// The encoders' search for scales: several candidate scales are tried; for the integers each one
// gives, the best scale follows by least squares, and the candidate with the smallest sum of
// squared errors wins. The candidates include plain rounding, so the result is never worse than it.

#include <array>
#include <cstdint>

#include "base/function_ref.h"

namespace cairn::tensor::formats {

/// The level (an integer of the format, as a float) nearest to value / scale.
using NearestLevel = base::FunctionRef<float(float)>;

/// Levels lowest..highest, all integers between them; NaN gives lowest.
float nearest_integer(float value, float lowest, float highest);

/// The scale of x ~ scale * level for values[count]. `extreme_level` is the level farthest from
/// zero; it may be negative. 0 where all values are (nearly) 0.
float fit_scale(const float* values, int count, float extreme_level, NearestLevel nearest);

/// x ~ scale * q - offset for values[count], q in 0..highest, scale >= 0, offset >= 0.
struct OffsetFit {
  float scale = 0.0f;
  float offset = 0.0f;
};
OffsetFit fit_scale_and_offset(const float* values, int count, float highest);

// A super-block holds 256 values in groups, each with its own scale: a small integer times one half
// that all groups share.

inline constexpr int kSuperBlockValues = 256;
inline constexpr int kMaxGroups = 16;

/// x ~ d * scales[group] * level.
struct ScaledGroups {
  std::uint16_t d = 0;
  std::array<std::int8_t, kMaxGroups> scales{};
};
/// Scales are integers in -scale_levels..scale_levels - 1.
ScaledGroups fit_scaled_groups(const float* values, int group_count, float extreme_level,
                               float scale_levels, NearestLevel nearest);

/// x ~ d * scales[group] * q - dmin * offsets[group], q in 0..highest.
struct OffsetGroups {
  std::uint16_t d = 0;
  std::uint16_t dmin = 0;
  std::array<std::uint8_t, kMaxGroups> scales{};
  std::array<std::uint8_t, kMaxGroups> offsets{};
  std::array<std::uint8_t, kSuperBlockValues> q{};
};
/// Scales and offsets are integers in 0..highest_scale.
OffsetGroups fit_offset_groups(const float* values, int group_count, float highest,
                               float highest_scale);

}  // namespace cairn::tensor::formats
