#include "checkpoint/printable.h"

#include <fmt/format.h>

namespace cairn::checkpoint {

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string result;
  for (const char c : text.substr(0, max_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  if (text.size() > max_bytes) result += "...";
  return result;
}

}  // namespace cairn::checkpoint
