// Compiled for AVX-512 with VNNI (CMakeLists.txt); called only where the processor has them.
#include "perf/probe.h"

#if defined(__AVX512F__) && defined(__AVX512VNNI__)
#include <immintrin.h>

namespace cairn::perf {
namespace {

// One or two operations a cycle at a latency of 4 or 5; 32 registers.
constexpr int kChains = 12;

double int8_rounds(std::int64_t rounds) {
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  __m512i weights = _mm512_set1_epi8(3);
  const __m512i activations = _mm512_set1_epi8(5);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m512i& sum : sums) {
      // Hides that the product is the same each time.
      __asm__("" : "+v"(weights));
      sum = _mm512_dpbusd_epi32(sum, weights, activations);
    }
  }
  double total = 0;
  for (const __m512i& sum : sums) total += _mm512_cvtsi512_si32(sum);
  return total;
}

double f32_rounds(std::int64_t rounds) {
  __m512 values[kChains];
  for (__m512& value : values) value = _mm512_setzero_ps();
  const __m512 factor = _mm512_set1_ps(0.5F);
  const __m512 addend = _mm512_set1_ps(1.0F);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m512& value : values) value = _mm512_fmadd_ps(value, factor, addend);
  }
  double total = 0;
  for (const __m512& value : values) total += _mm512_cvtss_f32(value);
  return total;
}

}  // namespace

PeakLoops avx512_peak_loops() {
  return {int8_rounds, 2 * 64 * kChains, f32_rounds, 2 * 16 * kChains};
}

}  // namespace cairn::perf

#else

namespace cairn::perf {
PeakLoops avx512_peak_loops() {
  return portable_peak_loops();
}
}  // namespace cairn::perf

#endif
