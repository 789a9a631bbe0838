#pragma once
// What a machine moves and computes per second: all that a price needs of it.

#include <filesystem>

#include "base/context.h"
#include "perf/machine.h"

namespace cairn::perf {

struct Rates {
  double read_bytes_per_second = 0;
  double int8_operations_per_second = 0;  // multiply and add count as two; all threads
  double f32_operations_per_second = 0;
};

Rates rates_of(const Machine& machine);

/// Measured within about half a second; `folder` as in best_read_bandwidth(). The context's threads
/// must be idle.
Rates quick_rates(Context& context, const std::filesystem::path& folder);

}  // namespace cairn::perf
