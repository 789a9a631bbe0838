#pragma once
// Byte-pair merging of one piece of text that starts as its bytes. Immutable once filled,
// thread-safe.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/merge.h"
#include "text/merge_borders.h"
#include "text/merge_table.h"

namespace cairn::text {

class BytePairMerger {
 public:
  using ByteTokens = std::array<TokenId, 256>;  // by byte; -1 where the vocabulary lacks it

  /// Room for `merge_count` merges, which add() must not exceed.
  BytePairMerger(const ByteTokens& byte_tokens, std::size_t merge_count);

  /// The tokens `left` and `right`, which stand for these bytes (not empty), become `merge`. The
  /// first of two merges of one pair counts.
  void add(TokenId left, std::string_view left_bytes, TokenId right, std::string_view right_bytes,
           Merge merge);

  TokenId byte_token(char byte) const { return byte_tokens_[static_cast<std::uint8_t>(byte)]; }

  /// `on_part(begin, end)` for stretches of `piece` (not empty) that merge each for itself, in
  /// order: most are short, whatever the piece.
  template <class OnPart>
  void for_each_part(std::string_view piece, const OnPart& on_part) const;

  /// `visit(token, begin, end)` for each token of `part`, in order. Bytes that no token has are
  /// dropped.
  template <class Visit>
  void merge_part(std::string_view part, SymbolList& symbols, const Visit& visit) const;

 private:
  static constexpr std::size_t kShortPiece = 40;  // is not worth cutting within words

  static std::size_t pair_of(char first, char second) {
    return std::size_t{static_cast<std::uint8_t>(first)} << 8 | static_cast<std::uint8_t>(second);
  }

  ByteTokens byte_tokens_;
  MergeTable merges_;
  MergeBorders borders_;
  std::vector<Merge> byte_merges_;  // by pair_of() two bytes: where every piece begins
};

template <class OnPart>
void BytePairMerger::for_each_part(std::string_view piece, const OnPart& on_part) const {
  const bool is_long = piece.size() > kShortPiece;
  std::size_t begin = 0;
  for (std::size_t at = 1; at < piece.size(); ++at) {
    const bool begins_long = static_cast<std::uint8_t>(piece[at]) >= MergeBorders::kFirstLongLead;
    if ((!is_long && !begins_long) || borders_.may_join(piece, at)) continue;
    on_part(begin, at);
    begin = at;
  }
  if (begin < piece.size()) on_part(begin, piece.size());
}

template <class Visit>
void BytePairMerger::merge_part(std::string_view part, SymbolList& symbols,
                                const Visit& visit) const {
  symbols.clear();
  symbols.reserve(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const TokenId token = byte_token(part[i]);
    if (token.value >= 0) symbols.push(token, static_cast<std::uint32_t>(i + 1));
  }
  const auto find = [&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
    return merges_.lookup(left, right);
  };
  const auto find_first = [&](TokenId left, TokenId right, std::uint32_t begin, std::uint32_t end) {
    if (end - begin != 2) return merges_.lookup(left, right);  // a dropped byte is among them
    return byte_merges_[pair_of(part[begin], part[begin + 1])];
  };
  symbols.merge(find_first, find);
  symbols.for_each(visit);
}

}  // namespace cairn::text
