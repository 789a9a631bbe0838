#pragma once
// The loops that measure_machine times. Each reports the best of several runs: other work on the
// machine only ever makes a run slower.

#include "base/context.h"
#include "tensor/tensor.h"

namespace cairn::perf {

/// Reads a buffer that no cache holds. Used by one thread.
class BandwidthProbe {
 public:
  explicit BandwidthProbe(Context& context);
  /// The best pass with `readers` of the context's threads within about `seconds_limit`; at least
  /// one pass is made. REQUIRES: 1 <= readers <= the context's worker count.
  double best_bytes_per_second(int readers, double seconds_limit);

 private:
  Context& context_;
  Buffer memory_;
};

/// Arithmetic on registers alone, one row an instruction set. Both return a value that depends on
/// every operation, so that none is optimized away.
struct PeakLoops {
  /// rounds x int8_operations multiply-adds of 8-bit integers, as the quantized kernels do them.
  double (*int8_rounds)(std::int64_t rounds);
  std::int64_t int8_operations;  // a round; a multiply and an add count as two
  double (*f32_rounds)(std::int64_t rounds);
  std::int64_t f32_operations;
};
PeakLoops portable_peak_loops();
PeakLoops avx2_peak_loops();    // REQUIRES: the processor has AVX2 and FMA
PeakLoops avx512_peak_loops();  // REQUIRES: the processor has AVX-512 with VNNI
PeakLoops peak_loops();         // of the instruction set in use

/// All the context's threads at once; the best of several probes, together about 0.2 s.
double best_operations_per_second(Context& context, double (*loop)(std::int64_t rounds),
                                  std::int64_t operations /*a round*/);

/// Tells the compiler that `value` is needed.
void keep(double value);

}  // namespace cairn::perf
