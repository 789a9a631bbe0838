#include "text/space_borders.h"

#include <algorithm>
#include <cstdint>

#include "text/space_mark.h"
#include "text/utf8.h"

namespace cairn::text {

void SpaceBorders::add(std::string_view piece) {
  char32_t previous = kSpaceMarkCodePoint;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t size_bytes = next_utf8(piece.substr(at)).size_bytes;
    const char32_t current = decode_utf8(piece.substr(at, size_bytes));
    if (current == kSpaceMarkCodePoint && previous != kSpaceMarkCodePoint)
      joiners_.push_back(previous);
    previous = current;
    at += size_bytes;
  }
}

void SpaceBorders::finish() {
  std::sort(joiners_.begin(), joiners_.end());
  joiners_.erase(std::unique(joiners_.begin(), joiners_.end()), joiners_.end());
}

std::size_t SpaceBorders::word_bytes(std::string_view text) const {
  std::size_t end = 0;
  for (std::size_t from = 0; (end = text.find(kSpaceMark, from)) != std::string_view::npos;
       from = end + kSpaceMark.size()) {
    if (end == 0) continue;
    std::size_t before = end - 1;
    while (before > 0 && (static_cast<std::uint8_t>(text[before]) & 0xC0U) == 0x80) --before;
    const char32_t character = decode_utf8(text.substr(before, end - before));
    // A run of marks is one word: pieces of several marks are common.
    if (character == kSpaceMarkCodePoint) continue;
    if (!std::binary_search(joiners_.begin(), joiners_.end(), character)) return end;
  }
  return text.size();
}

}  // namespace cairn::text
