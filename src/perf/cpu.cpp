#include "perf/cpu.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "backend/cpu/select_isa.h"

namespace cairn::perf {
namespace {

// "32768K" in sysfs.
std::int64_t cache_size_bytes(const std::string& folder) {
  std::ifstream file(folder + "/size");
  std::int64_t size = 0;
  char unit = ' ';
  if (!(file >> size)) return 0;
  file >> unit;
  if (unit == 'K') return size << 10;
  if (unit == 'M') return size << 20;
  return size;
}

}  // namespace

std::string_view isa_name() {
  return backend::cpu::select_isa().name;
}

std::vector<std::string> usable_isa_names() {
  const backend::cpu::IsaList list = backend::cpu::usable_isas();
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(list.count));
  for (int i = 0; i < list.count; ++i) names.emplace_back(list.tables[i]->name);
  return names;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return "unknown";
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    largest = std::max(largest, cache_size_bytes("/sys/devices/system/cpu/cpu0/cache/index" +
                                                 std::to_string(index)));
  }
  return largest;
}

std::int64_t memory_bytes() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t installed = pages * sysconf(_SC_PAGESIZE);
  std::ifstream file("/sys/fs/cgroup/memory.max");  // "max" where there is no limit
  std::int64_t limit = 0;
  return file >> limit && limit > 0 ? std::min(limit, installed) : installed;
}

}  // namespace cairn::perf
