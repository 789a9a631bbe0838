// Compiled for AVX2 and FMA (CMakeLists.txt); called only where the processor has them.
#include "perf/probe.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace cairn::perf {
namespace {

// FMA: 2 a cycle at a latency of 4 or 5 needs 10 chains; 12 and two operands fit 16 registers.
constexpr int kChains = 12;
// maddubs, madd and add make one step of a quantized dot product: 32 multiply-adds.
constexpr int kDotChains = 4;

double int8_rounds(std::int64_t rounds) {
  __m256i sums[kDotChains];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i weights = _mm256_set1_epi8(3);
  const __m256i activations = _mm256_set1_epi8(5);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m256i& sum : sums) {
      // Hides that the product is the same each time.
      __asm__("" : "+x"(weights));
      const __m256i products = _mm256_maddubs_epi16(weights, activations);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
    }
  }
  double total = 0;
  for (const __m256i& sum : sums) total += _mm256_extract_epi32(sum, 0);
  return total;
}

double f32_rounds(std::int64_t rounds) {
  __m256 values[kChains];
  for (__m256& value : values) value = _mm256_setzero_ps();
  const __m256 factor = _mm256_set1_ps(0.5F);
  const __m256 addend = _mm256_set1_ps(1.0F);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m256& value : values) value = _mm256_fmadd_ps(value, factor, addend);
  }
  double total = 0;
  for (const __m256& value : values) total += _mm256_cvtss_f32(value);
  return total;
}

}  // namespace

PeakLoops avx2_peak_loops() {
  return {int8_rounds, 2 * 32 * kDotChains, f32_rounds, 2 * 8 * kChains};
}

}  // namespace cairn::perf

#else

namespace cairn::perf {
PeakLoops avx2_peak_loops() {
  return portable_peak_loops();
}
}  // namespace cairn::perf

#endif
