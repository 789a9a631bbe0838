#include "cli/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace cairn::cli {
namespace {

// Three significant digits of a value in [0, 1000).
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string with_prefix(double value, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", value, units[0]);
  return three_digits(value) + units[unit];
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  static constexpr std::array kUnits = {" B", " kB", " MB", " GB", " TB"};
  return with_prefix(static_cast<double>(bytes), kUnits);
}

std::string count_text(std::int64_t count) {
  static constexpr std::array kUnits = {"", " k", " M", " B", " T"};
  return with_prefix(static_cast<double>(count), kUnits);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.9995e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

}  // namespace cairn::cli
