#pragma once
// How SentencePiece writes a space within pieces.

#include <string>
#include <string_view>

namespace cairn::text {

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581
inline constexpr char32_t kSpaceMarkCodePoint = 0x2581;

/// `piece` with its marks as spaces.
inline std::string unescape_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t mark = 0; (mark = piece.find(kSpaceMark)) != std::string_view::npos;) {
    text.append(piece.substr(0, mark)) += ' ';
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  return text.append(piece);
}

}  // namespace cairn::text
