#include "text/precompiled_map.h"

#include <algorithm>

#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

constexpr std::size_t kUnitBytes = 4;

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = kUnitBytes; i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::uint32_t children_of(std::uint32_t unit) {
  return (unit >> 10) << ((unit & 1U << 9) >> 6);
}
bool has_value(std::uint32_t unit) {
  return (unit >> 8 & 1U) != 0;
}
/// A value's unit equals no byte.
std::uint32_t label_of(std::uint32_t unit) {
  return unit & (1U << 31 | 0xFFU);
}

void check_replacements(std::string_view replacements) {
  if (valid_utf8_prefix(replacements) != replacements.size())
    fail(ErrorKind::corrupt, "precompiled_charsmap: the replacements are no UTF-8 at byte {}",
         valid_utf8_prefix(replacements));
  for (std::size_t begin = 0; begin < replacements.size();) {
    const std::size_t end = std::min(replacements.find('\0', begin), replacements.size());
    if (end - begin > PrecompiledMap::kLongestReplacementBytes)
      fail(ErrorKind::corrupt,
           "precompiled_charsmap: a replacement has {} bytes, expected at most {}", end - begin,
           PrecompiledMap::kLongestReplacementBytes);
    begin = end + 1;
  }
}

}  // namespace

PrecompiledMap::PrecompiledMap(std::string_view blob) {
  if (blob.size() <= kUnitBytes)
    fail(ErrorKind::corrupt, "precompiled_charsmap: found {} bytes, expected more than {}",
         blob.size(), kUnitBytes);
  const std::size_t trie_bytes = read_u32(blob, 0);
  if (trie_bytes > blob.size() - kUnitBytes)
    fail(ErrorKind::corrupt, "precompiled_charsmap: a trie of {} bytes in {} bytes", trie_bytes,
         blob.size());
  units_.reserve(trie_bytes / kUnitBytes);
  for (std::size_t i = 0; i + kUnitBytes <= trie_bytes; i += kUnitBytes)
    units_.push_back(read_u32(blob, kUnitBytes + i));
  replacements_ = blob.substr(kUnitBytes + trie_bytes);
  check_replacements(replacements_);
}

/// `on_rule(size_bytes, value)` for each rule that begins `text`, the shortest first, while it
/// returns true.
template <class OnRule>
void PrecompiledMap::for_each_rule(std::string_view text, const OnRule& on_rule) const {
  if (units_.empty()) return;
  std::size_t at = children_of(units_[0]);
  const std::size_t size = std::min(text.size(), kLongestRuleBytes);
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    at ^= byte;
    if (at >= units_.size()) return;
    const std::uint32_t unit = units_[at];
    if (label_of(unit) != byte) return;
    at ^= children_of(unit);
    if (at >= units_.size()) return;
    if (has_value(unit) && !on_rule(i + 1, units_[at] & 0x7FFFFFFFU)) return;
  }
}

std::optional<PrecompiledMap::Match> PrecompiledMap::match_of(std::size_t size_bytes,
                                                              std::uint32_t value) const {
  if (value >= replacements_.size()) return std::nullopt;
  const std::string_view rest = std::string_view(replacements_).substr(value);
  const std::string_view replacement = rest.substr(0, rest.find('\0'));
  const bool within_character =
      !replacement.empty() && (static_cast<std::uint8_t>(replacement[0]) & 0xC0U) == 0x80;
  if (within_character) return std::nullopt;
  return Match{size_bytes, replacement};
}

std::optional<PrecompiledMap::Match> PrecompiledMap::longest_prefix(std::string_view text) const {
  std::optional<Match> longest;
  for_each_rule(text, [&](std::size_t size_bytes, std::uint32_t value) {
    longest = match_of(size_bytes, value);
    return true;
  });
  return longest;
}

std::optional<PrecompiledMap::Match> PrecompiledMap::shortest_prefix(std::string_view text) const {
  std::optional<Match> shortest;
  for_each_rule(text, [&](std::size_t size_bytes, std::uint32_t value) {
    shortest = match_of(size_bytes, value);
    return false;
  });
  return shortest;
}

}  // namespace cairn::text
