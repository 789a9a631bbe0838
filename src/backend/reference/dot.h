#pragma once
// The one summation order of the reference: 16 f32 lanes over the row, summed pairwise. It depends
// on the row's length only (DESIGN N1), and compilers turn it into vector code without reordering
// it.

#include <array>
#include <cstdint>

namespace cairn::backend::reference {

/// sum of a[i] * b[i] for i in [0, size)
inline float dot(const float* a, const float* b, std::int64_t size) {
  constexpr std::int64_t kLanes = 16;
  std::array<float, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
    }
  }
  for (std::int64_t lane = 0; i + lane < size; ++lane) {
    lanes[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

}  // namespace cairn::backend::reference
