#pragma once
// How much memory this process may still take.

#include <cstdint>
#include <filesystem>

namespace cairn::engine {

/// MemAvailable of /proc/meminfo, cut by what the cgroups (v2 or v1) that hold this process leave;
/// file cache that a cgroup can drop counts as available. The largest number where nothing is
/// known. `root` is for tests.
std::int64_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace cairn::engine
