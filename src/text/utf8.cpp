#include "text/utf8.h"

#include <cstring>

namespace cairn::text {

namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

// What may follow a lead byte (Unicode Standard, table 3-7): only the second byte's range varies.
struct Lead {
  std::size_t size_bytes = 0;  // 0: never begins a character
  std::uint8_t second_min = 0x80;
  std::uint8_t second_max = 0xBF;
};

Lead classify(std::uint8_t lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xC2) return {0};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};  // no overlong forms
  if (lead == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};  // nothing above U+10FFFF
  return {0};
}

std::size_t ascii_prefix(std::string_view bytes) {
  std::size_t position = 0;
  for (; position + 8 <= bytes.size(); position += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + position, sizeof word);
    if ((word & 0x8080808080808080ULL) != 0) break;
  }
  while (position < bytes.size() && byte_at(bytes, position) < 0x80) ++position;
  return position;
}

}  // namespace

Utf8Sequence next_utf8(std::string_view bytes) {
  const Lead lead = classify(byte_at(bytes, 0));
  if (lead.size_bytes == 0) return {1, Utf8Status::invalid};
  for (std::size_t i = 1; i < lead.size_bytes; ++i) {
    if (i == bytes.size()) return {i, Utf8Status::incomplete};
    const std::uint8_t byte = byte_at(bytes, i);
    const std::uint8_t min = i == 1 ? lead.second_min : 0x80;
    const std::uint8_t max = i == 1 ? lead.second_max : 0xBF;
    if (byte < min || byte > max) return {i, Utf8Status::invalid};
  }
  return {lead.size_bytes, Utf8Status::valid};
}

char32_t decode_utf8(std::string_view sequence) {
  if (sequence.size() == 1) return byte_at(sequence, 0);
  char32_t code_point = byte_at(sequence, 0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i)
    code_point = code_point << 6 | (byte_at(sequence, i) & 0x3FU);
  return code_point;
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto push = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return push(code_point);
  if (code_point < 0x800) {
    push(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    push(0xE0 | code_point >> 12);
    push(0x80 | (code_point >> 6 & 0x3F));
  } else {
    push(0xF0 | code_point >> 18);
    push(0x80 | (code_point >> 12 & 0x3F));
    push(0x80 | (code_point >> 6 & 0x3F));
  }
  push(0x80 | (code_point & 0x3F));
}

std::size_t valid_utf8_prefix(std::string_view bytes) {
  std::size_t position = 0;
  while (true) {
    position += ascii_prefix(bytes.substr(position));
    if (position == bytes.size()) return position;
    const Utf8Sequence next = next_utf8(bytes.substr(position));
    if (next.status != Utf8Status::valid) return position;
    position += next.size_bytes;
  }
}

void move_utf8(std::string& bytes, std::string& text, bool at_end) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t valid = valid_utf8_prefix(rest);
    text.append(rest.substr(0, valid));
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    const Utf8Sequence next = next_utf8(rest);
    if (next.status == Utf8Status::incomplete && !at_end) break;
    text.append(kReplacementCharacter);
    rest.remove_prefix(next.size_bytes);
  }
  bytes.erase(0, bytes.size() - rest.size());
}

}  // namespace cairn::text
