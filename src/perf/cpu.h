#pragma once
// What the processor says of itself.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::perf {

/// The instruction set that cairn's kernels use here: "avx512", "avx2" or "portable". Throws as
/// select_isa.
std::string_view isa_name();
/// All that the processor runs, best first.
std::vector<std::string> usable_isa_names();

/// "AMD EPYC 7763 64-Core Processor", or "unknown".
std::string cpu_model();

/// The cache that is shared last; 0 if the system does not say.
std::int64_t last_level_cache_bytes();

/// Installed memory, cut by the cgroup's limit.
std::int64_t memory_bytes();

}  // namespace cairn::perf
