#include <array>
#include <cstdint>

#include "perf/probe.h"

namespace cairn::perf {
namespace {

// Independent chains: enough that the latency of one does not set the pace.
constexpr int kChains = 64;

double int8_rounds(std::int64_t rounds) {
  std::array<std::int8_t, kChains> weights{};
  std::array<std::int32_t, kChains> sums{};
  for (int i = 0; i < kChains; ++i)
    weights[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto activation = static_cast<std::int8_t>(round);
    for (std::size_t i = 0; i < kChains; ++i) sums[i] += weights[i] * activation;
  }
  double total = 0;
  for (const std::int32_t sum : sums) total += sum;
  return total;
}

double f32_rounds(std::int64_t rounds) {
  std::array<float, kChains> values{};
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (float& value : values) value = value * 0.5F + 1.0F;
  }
  double total = 0;
  for (const float value : values) total += value;
  return total;
}

}  // namespace

PeakLoops portable_peak_loops() {
  return {int8_rounds, 2 * kChains, f32_rounds, 2 * kChains};
}

}  // namespace cairn::perf
