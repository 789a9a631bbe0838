#pragma once
// Short byte strings as whole machine words: what hash tables of pieces compare and hash.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace cairn::text {

template <class Word>
std::uint64_t load_word(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// At most eight bytes as a number; with their count it says them all. Words from both ends, which
/// may overlap, so that nothing beyond is touched.
inline std::uint64_t short_word(std::string_view bytes) {
  const char* first = bytes.data();
  const char* last = first + bytes.size();
  if (bytes.size() == 8) return load_word<std::uint64_t>(first);
  if (bytes.size() >= 4)
    return load_word<std::uint32_t>(first) | load_word<std::uint32_t>(last - 4) << 32;
  if (bytes.empty()) return 0;
  return load_word<std::uint8_t>(first) | load_word<std::uint8_t>(first + bytes.size() / 2) << 8 |
         load_word<std::uint8_t>(last - 1) << 16;
}

inline std::uint64_t mix_word(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;  // Fibonacci hashing
  return hash ^ hash >> 32;                      // and its high bits, which depend on all, below
}

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  if (bytes.size() <= 8) return mix_word(hash, short_word(bytes));
  std::size_t at = 0;
  for (; at + 8 < bytes.size(); at += 8)
    hash = mix_word(hash, load_word<std::uint64_t>(bytes.data() + at));
  return mix_word(hash, load_word<std::uint64_t>(bytes.data() + bytes.size() - 8));
}

/// Whether as many bytes at `other` are the same.
inline bool equal_bytes(const char* other, std::string_view bytes) {
  const std::size_t size = bytes.size();
  if (size <= 8) return short_word({other, size}) == short_word(bytes);
  if (size > 16) return std::memcmp(other, bytes.data(), size) == 0;
  return load_word<std::uint64_t>(other) == load_word<std::uint64_t>(bytes.data()) &&
         load_word<std::uint64_t>(other + size - 8) ==
             load_word<std::uint64_t>(bytes.data() + size - 8);
}

}  // namespace cairn::text
