#pragma once
// The `added_tokens` of a tokenizer.json: found in the text before the model runs, those that are
// not normalized in the source, the others in the normalized text. Immutable, thread-safe.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

struct AddedToken {
  std::string content;
  TokenId token{-1};
  std::string pattern;  // what is looked for: the content, normalized where it shall be
  bool special = false;
  bool single_word = false;  // only where no word character touches it
  bool strip_left = false;   // takes the white space before it, too
  bool strip_right = false;
  bool normalized = true;
};

/// The list without ids and patterns. Throws corrupt with the path.
std::vector<AddedToken> read_added_tokens(const Field& list);

/// Finds the tokens of one of the two passes. Leftmost, then longest, wins.
class AddedTokenFinder {
 public:
  /// `tokens` must outlive this and stay where they are.
  AddedTokenFinder(const std::vector<AddedToken>& tokens, bool normalized);

  bool empty() const { return entries_.empty(); }
  bool finds_special() const { return finds_special_; }

  struct Match {
    std::size_t begin = 0;  // white space that the token takes included: [begin, end)
    std::size_t end = 0;
    TokenId token;
  };

  /// Calls `on_match(match)` for each token in `text`, in order. `allows(begin, end)`: whether a
  /// special token may match there.
  template <class Allows, class OnMatch>
  void scan(std::string_view text, const Allows& allows, const OnMatch& on_match) const;

 private:
  struct Entry {
    std::string_view pattern;
    const AddedToken* token = nullptr;
  };

  /// The longest entry at `begin`, of special ones only those that `allows` allows.
  template <class Allows>
  const Entry* match_at(std::string_view text, std::size_t begin, const Allows& allows) const;
  /// The entries of [low, high) whose byte at `depth` is that of the text.
  std::pair<const Entry*, const Entry*> narrow(const Entry* low, const Entry* high,
                                               std::size_t depth, char next) const;
  static bool stands_alone(std::string_view text, std::size_t begin, std::size_t end);
  static Match widen(const Entry& entry, std::string_view text, std::size_t begin,
                     std::size_t done);

  std::vector<Entry> entries_;  // sorted by pattern: a walk narrows a range byte by byte
  std::array<std::uint32_t, 257> first_{};  // entries that begin with byte b: [b], [b + 1]
  bool finds_special_ = false;
};

template <class Allows>
const AddedTokenFinder::Entry* AddedTokenFinder::match_at(std::string_view text, std::size_t begin,
                                                          const Allows& allows) const {
  const auto lead = static_cast<std::uint8_t>(text[begin]);
  const Entry* low = entries_.data() + first_[lead];
  const Entry* high = entries_.data() + first_[lead + 1U];
  const Entry* longest = nullptr;
  for (std::size_t depth = 1; low != high; ++depth) {
    if (low->pattern.size() == depth) {
      if (!low->token->special || allows(begin, begin + depth)) longest = low;
      while (low != high && low->pattern.size() == depth) ++low;
    }
    if (begin + depth == text.size()) break;
    std::tie(low, high) = narrow(low, high, depth, text[begin + depth]);
  }
  return longest;
}

template <class Allows, class OnMatch>
void AddedTokenFinder::scan(std::string_view text, const Allows& allows,
                            const OnMatch& on_match) const {
  if (entries_.empty()) return;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[at]);
    const bool may_match = first_[lead] != first_[lead + 1U];
    const Entry* entry = may_match ? match_at(text, at, allows) : nullptr;
    if (entry == nullptr) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    at += entry->pattern.size();
    if (entry->token->single_word && !stands_alone(text, begin, at)) continue;
    const Match match = widen(*entry, text, begin, done);
    on_match(match);
    done = match.end;
  }
}

}  // namespace cairn::text::huggingface
