#pragma once
// SentencePiece's compiled normalization rules ("precompiled_charsmap"): byte strings and what they
// become. Read from untrusted files: every index is checked. Immutable, thread-safe.
//
//   u32 bytes of the trie | trie: u32 units of a double array | replacements, each ended by 0
//
// A unit (Darts-clone): bit 31 set: bits 0..30 are a value, an offset into the replacements; else
// bits 0..7 label, bit 8 a value follows, bits 10..30 (<< 8 if bit 9) offset to the children, XOR.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text {

class PrecompiledMap {
 public:
  static constexpr std::size_t kLongestRuleBytes = 256;
  static constexpr std::size_t kLongestReplacementBytes = 1024;

  struct Match {
    std::size_t size_bytes = 0;    // of the text that is replaced
    std::string_view replacement;  // valid UTF-8, possibly empty
  };

  /// No rules.
  PrecompiledMap() = default;
  /// Throws corrupt where the parts do not fit `blob` or the replacements are no UTF-8.
  explicit PrecompiledMap(std::string_view blob);

  bool empty() const { return units_.empty(); }

  /// The longest rule for a beginning of `text`: what SentencePiece applies at every position.
  std::optional<Match> longest_prefix(std::string_view text) const;
  /// The shortest one: what the `tokenizers` library takes for the whole of `text`, a grapheme
  /// cluster of under 6 bytes or a single character.
  std::optional<Match> shortest_prefix(std::string_view text) const;

 private:
  template <class OnRule>
  void for_each_rule(std::string_view text, const OnRule& on_rule) const;
  std::optional<Match> match_of(std::size_t size_bytes, std::uint32_t value) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace cairn::text
