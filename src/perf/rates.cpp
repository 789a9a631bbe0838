#include "perf/rates.h"

#include "perf/probe.h"

namespace cairn::perf {

Rates rates_of(const Machine& machine) {
  return {machine.read_bytes_per_second, machine.int8_operations_per_second,
          machine.f32_operations_per_second};
}

Rates quick_rates(Context& context, const std::filesystem::path& folder) {
  const PeakLoops loops = peak_loops();
  return {best_read_bandwidth(context, folder),
          best_operations_per_second(context, loops.int8_rounds, loops.int8_operations),
          best_operations_per_second(context, loops.f32_rounds, loops.f32_operations)};
}

}  // namespace cairn::perf
