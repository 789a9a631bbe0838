#pragma once
// Text from a file, made safe to print in a one-line message.

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::checkpoint {

/// Bytes outside printable ASCII become \xNN; what is longer than `max_bytes` is cut and marked.
std::string printable(std::string_view text, std::size_t max_bytes = 80);

}  // namespace cairn::checkpoint
