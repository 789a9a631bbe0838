#pragma once
// What the machine can do, measured: the ceilings that every benchmark is held against.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/context.h"

namespace cairn::perf {

struct Machine {
  std::string cpu_model;
  std::string isa;                       // in use
  std::vector<std::string> usable_isas;  // CAIRN_ISA names one
  int core_count = 0;                    // threads of the context the measurement ran on
  std::int64_t memory_bytes = 0;
  std::int64_t last_level_cache_bytes = 0;
  double read_bytes_per_second_one_core = 0;
  double read_bytes_per_second = 0;       // all cores together
  double int8_operations_per_second = 0;  // multiply and add count as two; all cores
  double f32_operations_per_second = 0;
};

/// Measures everything with the context's threads. Takes about a second; the threads must be idle.
Machine measure_machine(Context& context);

/// Read bandwidth of all the context's threads together, in bytes per second: the best of several
/// probes, each a few passes over a buffer larger than the last-level cache, within about
/// `seconds_limit`.
double measure_read_bandwidth(Context& context, double seconds_limit);

/// The best that a short probe (0.15 s at most) ever found on this machine: kept in `folder` in a
/// file keyed by CPU model and thread count, so that a moment in which other programs were busy
/// does not become the ceiling. A folder that cannot be written is no error.
double best_read_bandwidth(Context& context, const std::filesystem::path& folder);

}  // namespace cairn::perf
