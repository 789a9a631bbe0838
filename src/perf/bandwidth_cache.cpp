#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "perf/cpu.h"
#include "perf/machine.h"

namespace cairn::perf {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsLimit = 0.08;  // beside it, the buffer is filled once

// "bandwidth-<cpu model>-<threads>": letters and digits only.
std::string file_name(int thread_count) {
  std::string model = cpu_model();
  for (char& c : model)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return fmt::format("bandwidth-{}-{}", model, thread_count);
}

std::optional<double> read_number(const fs::path& path) {
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value) || value <= 0) return std::nullopt;
  return value;
}

// Written beside and renamed, so that no reader sees half a number.
void write_number(const fs::path& path, double value) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path part = path.string() + ".part";
  {
    std::ofstream file(part);
    file << fmt::format("{:.6e}\n", value);
    if (!file.good()) return;
  }
  fs::rename(part, path, ignored);
}

}  // namespace

double best_read_bandwidth(Context& context, const fs::path& folder) {
  const fs::path path = folder / file_name(context.threads.worker_count());
  const double known = read_number(path).value_or(0);
  const double measured = measure_read_bandwidth(context, kSecondsLimit);
  if (measured <= known) return known;
  write_number(path, measured);
  return measured;
}

}  // namespace cairn::perf
