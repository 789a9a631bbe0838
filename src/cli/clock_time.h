#pragma once
// A point in time as people write it.

#include <ctime>
#include <string>

namespace cairn::cli {

/// "2026-07-01 12:34:56", with its weekday and day of the year. Throws invalid_argument that names
/// `flag`.
std::tm parse_clock_time(const std::string& text, const char* flag);

}  // namespace cairn::cli
