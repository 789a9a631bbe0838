#include "text/special_tokens.h"

#include <algorithm>

namespace cairn::text {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary, bool with_control) {
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i) {
    const TokenKind kind = vocabulary.kinds[i];
    const bool control = kind == TokenKind::control || kind == TokenKind::unknown;
    if (kind != TokenKind::user_defined && !(with_control && control)) continue;
    if (vocabulary.pieces[i].empty()) continue;
    entries_.push_back({vocabulary.pieces[i], TokenId(static_cast<std::int32_t>(i))});
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.piece < b.piece; });
  for (const Entry& entry : entries_) ++first_[static_cast<std::uint8_t>(entry.piece[0]) + 1U];
  for (std::size_t byte = 0; byte < 256; ++byte) first_[byte + 1] += first_[byte];
}

std::optional<SpecialTokens::Match> SpecialTokens::match_at(std::string_view text,
                                                            std::size_t begin) const {
  const std::size_t lead = static_cast<std::uint8_t>(text[begin]);
  auto low = entries_.begin() + first_[lead];
  auto high = entries_.begin() + first_[lead + 1];
  std::optional<Match> longest;
  // Invariant: [low, high) are the entries whose first `depth` bytes equal the text's.
  for (std::size_t depth = 1; low != high; ++depth) {
    if (low->piece.size() == depth) {
      longest = Match{begin, begin + depth, low->token};
      while (low != high && low->piece.size() == depth) ++low;
    }
    if (begin + depth == text.size()) break;
    const auto next = static_cast<std::uint8_t>(text[begin + depth]);
    const auto byte_of = [depth](const Entry& entry) {
      return static_cast<std::uint8_t>(entry.piece[depth]);
    };
    low = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) < next; });
    high = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) == next; });
  }
  return longest;
}

std::optional<SpecialTokens::Match> SpecialTokens::find(std::string_view text,
                                                        std::size_t from) const {
  if (entries_.empty()) return std::nullopt;
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    const std::size_t lead = static_cast<std::uint8_t>(text[begin]);
    if (first_[lead] == first_[lead + 1]) continue;
    if (const auto match = match_at(text, begin)) return match;
  }
  return std::nullopt;
}

}  // namespace cairn::text
