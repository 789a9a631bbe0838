#pragma once
// Passes over a row of logits that need no memory of the vocabulary's size. Results do not depend
// on where the compiler finds vectors: every lane is fixed by the index. NaN is passed over.

#include <cstddef>
#include <span>

namespace cairn::engine {

/// Logits whose maximum is taken together.
inline constexpr std::size_t kScanBlock = 64;

constexpr std::size_t scan_blocks(std::size_t logit_count) {
  return (logit_count + kScanBlock - 1) / kScanBlock;
}

/// maxima[i] = the largest of logits[64 i .. 64 i + 63], -infinity where none is a number.
void block_maxima(std::span<const float> logits, std::span<float> maxima /*[scan_blocks]*/);

/// The largest logit, -infinity where none is a number.
float largest_logit(std::span<const float> logits);

/// The first index of the largest logit that is above -infinity, or 0.
std::size_t first_largest(std::span<const float> logits);

/// sum(exp(logits - largest)), to a millionth: each of 16 lanes sums every 16th term in double,
/// then the lanes in order. REQUIRES: `largest` is finite, and none is larger.
double sum_of_exponentials(std::span<const float> logits, float largest);

/// log(sum(exp(logits))).
double log_sum_exp(std::span<const float> logits);

}  // namespace cairn::engine
