#include "engine/logit_scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cairn::engine {
namespace {

// Vectors of four, which every target has.
using Floats [[gnu::vector_size(16)]] = float;
using Ints [[gnu::vector_size(16)]] = int;
using Doubles [[gnu::vector_size(32)]] = double;

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr std::size_t kChains = 4;  // hide the latency of max and add
constexpr std::size_t kLanes = 4;
constexpr std::size_t kStride = kChains * kLanes;
static_assert(kScanBlock % kStride == 0);

Floats load(const float* p) {
  Floats lanes;
  std::memcpy(&lanes, p, sizeof lanes);
  return lanes;
}

/// The larger; b where a is NaN.
Floats larger(Floats a, Floats b) {
  return a > b ? a : b;
}

float maximum_of_block(const float* logits) {
  Floats chains[kChains];
  for (Floats& chain : chains) chain = Floats{} + kLowest;
  for (std::size_t base = 0; base < kScanBlock; base += kStride) {
    for (std::size_t i = 0; i < kChains; ++i) {
      chains[i] = larger(load(logits + base + i * kLanes), chains[i]);
    }
  }
  const Floats all = larger(larger(chains[0], chains[1]), larger(chains[2], chains[3]));
  return std::max(std::max(all[0], all[1]), std::max(all[2], all[3]));
}

float maximum_of_rest(std::span<const float> logits) {
  float largest = kLowest;
  for (const float logit : logits) largest = logit > largest ? logit : largest;
  return largest;
}

/// exp(x) for x <= 0, to 2 units in the last place; 0 below -86.9. x = n ln2 + r; exp(r) by the
/// polynomial of Cephes' expf (Moshier).
Floats exponential(Floats x) {
  const Floats lowest = Floats{} - 86.9F;
  const Floats held = larger(x, lowest);
  // Added to a smaller number, 1.5 * 2^23 leaves no fraction: the addition rounds.
  const Floats magic = Floats{} + 12582912.0F;
  const Floats n = (held * 1.44269504088896341F + magic) - magic;
  const Floats r = (held - n * 0.693359375F) + n * 2.12194440e-4F;
  Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const Floats y = p * (r * r) + r + 1.0F;
  const Ints exponent = __builtin_convertvector(n, Ints) << 23;
  Ints bits;
  std::memcpy(&bits, &y, sizeof bits);
  bits += exponent;
  Floats result;
  std::memcpy(&result, &bits, sizeof result);
  return x > lowest ? result : Floats{};
}

}  // namespace

void block_maxima(std::span<const float> logits, std::span<float> maxima) {
  std::size_t block = 0;
  for (; (block + 1) * kScanBlock <= logits.size(); ++block) {
    maxima[block] = maximum_of_block(logits.data() + block * kScanBlock);
  }
  if (block < maxima.size()) maxima[block] = maximum_of_rest(logits.subspan(block * kScanBlock));
}

float largest_logit(std::span<const float> logits) {
  return logits.empty() ? kLowest : std::max(kLowest, logits[first_largest(logits)]);
}

std::size_t first_largest(std::span<const float> logits) {
  float largest = kLowest;
  std::size_t best_begin = 0;
  for (std::size_t begin = 0; begin < logits.size(); begin += kScanBlock) {
    const bool is_whole = begin + kScanBlock <= logits.size();
    const float maximum =
        is_whole ? maximum_of_block(logits.data() + begin) : maximum_of_rest(logits.subspan(begin));
    if (maximum <= largest) continue;
    largest = maximum;
    best_begin = begin;
  }
  if (largest == kLowest) return 0;
  const auto from = logits.begin() + static_cast<std::ptrdiff_t>(best_begin);
  return static_cast<std::size_t>(std::find(from, logits.end(), largest) - logits.begin());
}

double sum_of_exponentials(std::span<const float> logits, float largest) {
  Doubles chains[kChains] = {};
  std::size_t index = 0;
  const Floats shift = Floats{} + largest;
  for (; index + kStride <= logits.size(); index += kStride) {
    for (std::size_t i = 0; i < kChains; ++i) {
      const Floats below = load(logits.data() + index + i * kLanes) - shift;
      chains[i] += __builtin_convertvector(exponential(below), Doubles);
    }
  }
  double sum = 0.0;
  for (const Doubles& chain : chains) sum += (chain[0] + chain[1]) + (chain[2] + chain[3]);
  for (; index < logits.size(); ++index) {
    const Floats below = Floats{} + (logits[index] - largest);
    sum += static_cast<double>(exponential(below)[0]);
  }
  return sum;
}

double log_sum_exp(std::span<const float> logits) {
  const float largest = largest_logit(logits);
  if (!std::isfinite(largest)) return largest;
  return largest + std::log(sum_of_exponentials(logits, largest));
}

}  // namespace cairn::engine
