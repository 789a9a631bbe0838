#pragma once
// The sixteen levels of IQ4_NL and IQ4_XS: finer near zero, where weights are dense.

#include <array>
#include <cstdint>

namespace cairn::tensor::formats {

inline constexpr std::array<std::int8_t, 16> kCodebook4 = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// The index of the level nearest to `value`; ties go down, NaN gives 0.
inline std::uint8_t nearest_in_codebook4(float value) {
  std::uint8_t index = 0;
  while (index < 15 &&
         value > 0.5f * static_cast<float>(kCodebook4[index] + kCodebook4[index + 1])) {
    ++index;
  }
  return index;
}

/// The same, as the level itself.
inline constexpr auto kNearestLevelInCodebook4 = [](float value) {
  return static_cast<float>(kCodebook4[nearest_in_codebook4(value)]);
};

}  // namespace cairn::tensor::formats
