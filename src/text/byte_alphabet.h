#pragma once
// GPT-2's alphabet: one printable character for each byte, in which byte-level vocabularies are
// written ("Ġ" is the space).

#include <array>
#include <string>
#include <string_view>

namespace cairn::text {

/// The character of each byte, as UTF-8.
const std::array<std::string, 256>& byte_alphabet();

/// The bytes that a piece stands for; characters outside the alphabet stand for themselves.
std::string decode_byte_alphabet(std::string_view piece);
/// Whether every character of the piece is of the alphabet.
bool is_in_byte_alphabet(std::string_view piece);

}  // namespace cairn::text
