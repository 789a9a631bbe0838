#pragma once
// How SentencePiece writes a space within pieces.

#include <string_view>

namespace cairn::text {

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581
inline constexpr char32_t kSpaceMarkCodePoint = 0x2581;

}  // namespace cairn::text
