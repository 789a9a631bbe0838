#pragma once
// UTF-8 as bytes arrive: what is a whole character, what can still become one, what never will.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::text {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8Status : std::uint8_t {
  valid,       // one whole character
  invalid,     // a maximal subpart that no bytes can complete
  incomplete,  // the bytes end within a character
};

struct Utf8Sequence {
  std::size_t size_bytes = 0;
  Utf8Status status = Utf8Status::invalid;
};

/// The sequence that begins `bytes` (not empty). Invalid ones are cut as the Unicode Standard, 3.9,
/// recommends and as Python's errors="replace" does: one U+FFFD each.
Utf8Sequence next_utf8(std::string_view bytes);

/// The size of a valid sequence by its first byte.
inline std::size_t lead_size(char lead) {
  const auto byte = static_cast<std::uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
/// The code point of one valid sequence.
char32_t decode_utf8(std::string_view sequence);
/// Unicode's White_Space.
bool is_white_space(char32_t code_point);
void append_utf8(std::string& text, char32_t code_point);

/// How many leading bytes are whole, valid characters.
std::size_t valid_utf8_prefix(std::string_view bytes);

/// Moves every decided character from `bytes` to `text`, invalid ones as U+FFFD; what may still
/// become a character stays in `bytes`, unless `at_end`.
void move_utf8(std::string& bytes, std::string& text, bool at_end);

}  // namespace cairn::text
