#pragma once
// Quantities as people read them. Decimal prefixes throughout: 1 GB is 10^9 bytes.

#include <cstdint>
#include <string>

namespace cairn::cli {

/// "0 B", "999 B", "1.50 kB", "94.6 MB", "1.12 GB": three significant digits.
std::string bytes_text(std::int64_t bytes);

/// "135 M", "1.54 B": parameter and token counts, three significant digits.
std::string count_text(std::int64_t count);

/// "830 us", "12.3 ms", "1.20 s".
std::string seconds_text(double seconds);

}  // namespace cairn::cli
