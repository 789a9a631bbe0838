#include "engine/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// The number that stands alone in a file; nothing for "max" and for files that are not there.
std::optional<std::int64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// The number after `key` at the beginning of a line.
std::optional<std::int64_t> read_field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::int64_t value = 0;
    if (word == key && file >> value) return value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

std::int64_t left_in(const fs::path& cgroup, const char* limit_name, const char* usage_name,
                     const std::string& file_cache_key) {
  const auto limit = read_number(cgroup / limit_name);
  const auto usage = read_number(cgroup / usage_name);
  if (!limit || !usage) return kUnlimited;
  const std::int64_t file_cache = read_field(cgroup / "memory.stat", file_cache_key).value_or(0);
  return std::max<std::int64_t>(0, *limit - *usage + file_cache);
}

/// The smallest rest of a cgroup and all that hold it. Inside a container its own path may not be
/// there; the mount then is the container's cgroup.
std::int64_t left_in_hierarchy(const fs::path& mount, fs::path cgroup, const char* limit_name,
                               const char* usage_name, const std::string& file_cache_key) {
  std::int64_t left = kUnlimited;
  while (true) {
    left = std::min(
        left, left_in(mount / cgroup.relative_path(), limit_name, usage_name, file_cache_key));
    if (!cgroup.has_relative_path()) return left;
    cgroup = cgroup.parent_path();
  }
}

}  // namespace

std::int64_t available_memory_bytes(const fs::path& root) {
  constexpr std::int64_t kKibibyte = 1024;
  const auto available_kib = read_field(root / "proc/meminfo", "MemAvailable:");
  std::int64_t available = available_kib ? *available_kib * kKibibyte : kUnlimited;

  // Lines are "0::/path" (v2) or "4:memory:/path" (v1).
  std::ifstream cgroups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(cgroups, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path cgroup = line.substr(second + 1);
    if (controllers.empty()) {
      available =
          std::min(available, left_in_hierarchy(root / "sys/fs/cgroup", cgroup, "memory.max",
                                                "memory.current", "inactive_file"));
    } else if (controllers == "memory") {
      available =
          std::min(available,
                   left_in_hierarchy(root / "sys/fs/cgroup/memory", cgroup, "memory.limit_in_bytes",
                                     "memory.usage_in_bytes", "total_inactive_file"));
    }
  }
  return available;
}

}  // namespace cairn::engine
