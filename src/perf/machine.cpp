#include "perf/machine.h"

#include <algorithm>
#include <atomic>

#include "perf/cpu.h"
#include "perf/probe.h"

namespace cairn::perf {
namespace {

constexpr double kSecondsPerBandwidth = 0.25;
constexpr double kSecondsPerPeakProbe = 0.03;

double seconds_of_rounds(Context& context, double (*loop)(std::int64_t), std::int64_t rounds) {
  std::atomic<double> sink{0};
  const base::TimePoint start = context.clock.now();
  context.threads.run_on_each([&](int) { sink.store(loop(rounds)); });
  const double seconds = base::seconds_between(start, context.clock.now());
  keep(sink.load());
  return std::max(seconds, 1e-9);
}

}  // namespace

void keep(double value) {
  [[maybe_unused]] volatile double kept = value;
}

double best_operations_per_second(Context& context, double (*loop)(std::int64_t),
                                  std::int64_t operations) {
  constexpr int kProbes = 5;
  std::int64_t rounds = 1000;
  while (seconds_of_rounds(context, loop, rounds) < kSecondsPerPeakProbe) rounds *= 2;
  double fastest = seconds_of_rounds(context, loop, rounds);
  for (int probe = 1; probe < kProbes; ++probe)
    fastest = std::min(fastest, seconds_of_rounds(context, loop, rounds));
  return static_cast<double>(operations) * static_cast<double>(rounds) *
         context.threads.worker_count() / fastest;
}

PeakLoops peak_loops() {
  if (isa_name() == "avx512") return avx512_peak_loops();
  return isa_name() == "avx2" ? avx2_peak_loops() : portable_peak_loops();
}

Machine measure_machine(Context& context) {
  Machine machine;
  machine.cpu_model = cpu_model();
  machine.isa = isa_name();
  machine.usable_isas = usable_isa_names();
  machine.core_count = context.threads.worker_count();
  machine.memory_bytes = memory_bytes();
  machine.last_level_cache_bytes = last_level_cache_bytes();

  BandwidthProbe probe(context);
  machine.read_bytes_per_second =
      probe.best_bytes_per_second(machine.core_count, kSecondsPerBandwidth);
  machine.read_bytes_per_second_one_core = probe.best_bytes_per_second(1, kSecondsPerBandwidth);
  // Where one core alone is faster, something disturbed the other measurement.
  machine.read_bytes_per_second =
      std::max(machine.read_bytes_per_second, machine.read_bytes_per_second_one_core);

  const PeakLoops loops = peak_loops();
  machine.int8_operations_per_second =
      best_operations_per_second(context, loops.int8_rounds, loops.int8_operations);
  machine.f32_operations_per_second =
      best_operations_per_second(context, loops.f32_rounds, loops.f32_operations);
  return machine;
}

}  // namespace cairn::perf
