#include "text/byte_alphabet.h"

#include <cstdint>
#include <optional>

#include "text/utf8.h"

namespace cairn::text {

namespace {

// Printable Latin-1 stands for itself; the other bytes are numbered from U+0100 on, in order.
bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::size_t kAlphabetEnd = 0x100 + 68;  // 68 bytes are not printable

struct Tables {
  std::array<std::string, 256> characters;
  std::array<std::optional<char>, kAlphabetEnd> bytes;  // by code point
};

Tables build_tables() {
  Tables tables;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t code_point = stands_for_itself(byte) ? byte : next++;
    append_utf8(tables.characters[byte], code_point);
    tables.bytes[code_point] = static_cast<char>(byte);
  }
  return tables;
}

const Tables& tables() {
  static const Tables built = build_tables();
  return built;
}

}  // namespace

const std::array<std::string, 256>& byte_alphabet() {
  return tables().characters;
}

std::string decode_byte_alphabet(std::string_view piece) {
  const auto& bytes = tables().bytes;
  std::string result;
  while (!piece.empty()) {
    const Utf8Sequence next = next_utf8(piece);
    const std::string_view character = piece.substr(0, next.size_bytes);
    piece.remove_prefix(next.size_bytes);
    const char32_t code_point =
        next.status == Utf8Status::valid ? decode_utf8(character) : kAlphabetEnd;
    if (code_point < kAlphabetEnd && bytes[code_point])
      result.push_back(*bytes[code_point]);
    else
      result.append(character);
  }
  return result;
}

bool is_in_byte_alphabet(std::string_view piece) {
  const auto& bytes = tables().bytes;
  while (!piece.empty()) {
    const Utf8Sequence next = next_utf8(piece);
    if (next.status != Utf8Status::valid) return false;
    const char32_t code_point = decode_utf8(piece.substr(0, next.size_bytes));
    if (code_point >= kAlphabetEnd || !bytes[code_point]) return false;
    piece.remove_prefix(next.size_bytes);
  }
  return true;
}

}  // namespace cairn::text
