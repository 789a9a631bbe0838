#pragma once
// Byte-pair merging (Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with
// Subword Units", ACL 2016): of all adjacent pairs that merge, the one of lowest rank goes first,
// the leftmost of equals. Short pieces look at all their pairs each time; long ones keep a queue:
// O(n log n).

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "text/merge_queue.h"

namespace cairn::text {

struct Merge {
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

  std::uint32_t rank = kNoRank;  // lower merges first; kNoRank: the pair does not merge
  TokenId token{-1};             // what the pair becomes
};

/// Reused from piece to piece. Not thread-safe.
class SymbolList {
 public:
  void clear() { symbols_.clear(); }
  void reserve(std::size_t count) { symbols_.reserve(count); }
  /// `token` -1: not in the vocabulary. The symbol begins where the one before ends.
  void push(TokenId token, std::uint32_t end) { symbols_.push_back({token, end}); }

  /// `find(left, right, begin, end)` -> Merge or optional<Merge>: what the tokens `left` and
  /// `right` of two symbols, which together span [begin, end) of the piece, become. `find_first` is
  /// asked the same about the symbols that were pushed.
  template <class FindFirst, class Find>
  void merge(const FindFirst& find_first, const Find& find);
  template <class Find>
  void merge(const Find& find) {
    merge(find, find);
  }

  /// `visit(token, begin, end)` for what is left, in order.
  template <class Visit>
  void for_each(const Visit& visit) const;

  /// Gives back the memory of an unusually long piece.
  void shrink();

 private:
  // While a long piece merges, symbol i covers `span` pushed ones: its token, end and rank stand at
  // i, its span at i and again at its last, so that both neighbours are found without links:
  //
  //   index   i          i+1     i+2        i+3
  //   token   t          dead    dead       u          next = i + span[i]
  //   span    3                  3          1          previous = i+3 - span[i+3 - 1]
  //
  // What stands before a living symbol never grew into it, so its begin is end[i - 1].
  struct Symbol {
    TokenId token;
    std::uint32_t end = 0;                // offset in the piece
    std::uint32_t span = 1;               // in pushed symbols
    std::uint32_t rank = Merge::kNoRank;  // of the pair with the next symbol
  };
  static constexpr TokenId kDead{-2};
  static constexpr std::size_t kShortPiece = 40;  // beyond, looking at all pairs costs more

  std::uint32_t begin_of(std::size_t index) const {
    return index == 0 ? 0 : symbols_[index - 1].end;
  }
  static Merge merge_of(Merge merge) { return merge; }
  static Merge merge_of(const std::optional<Merge>& merge) { return merge.value_or(Merge{}); }
  template <class Find>
  Merge find_merge(std::size_t left, std::size_t right, const Find& find) const {
    return merge_of(
        find(symbols_[left].token, symbols_[right].token, begin_of(left), symbols_[right].end));
  }
  template <class FindFirst, class Find>
  void merge_short(const FindFirst& find_first, const Find& find);
  template <class FindFirst, class Find>
  void merge_long(const FindFirst& find_first, const Find& find);
  template <class Find>
  void propose(std::size_t left, const Find& find);
  void join(std::size_t left, std::size_t right, TokenId token);
  void compact();

  std::vector<Symbol> symbols_;
  MergeQueue queue_;
};

template <class FindFirst, class Find>
void SymbolList::merge(const FindFirst& find_first, const Find& find) {
  if (symbols_.size() < 2) return;
  if (symbols_.size() <= kShortPiece)
    merge_short(find_first, find);
  else
    merge_long(find_first, find);
}

template <class FindFirst, class Find>
void SymbolList::merge_short(const FindFirst& find_first, const Find& find) {
  std::array<Merge, kShortPiece> merges;  // of symbol i with the next
  std::size_t count = symbols_.size();
  for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = find_merge(i, i + 1, find_first);
  while (count > 1) {
    std::size_t best = 0;
    std::uint32_t best_rank = Merge::kNoRank;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (merges[i].rank >= best_rank) continue;
      best_rank = merges[i].rank;
      best = i;
    }
    if (best_rank == Merge::kNoRank) break;
    symbols_[best].token = merges[best].token;
    symbols_[best].end = symbols_[best + 1].end;
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      symbols_[i].token = symbols_[i + 1].token;
      symbols_[i].end = symbols_[i + 1].end;
      merges[i] = merges[i + 1];
    }
    if (best > 0) merges[best - 1] = find_merge(best - 1, best, find);
    if (best + 1 < count) merges[best] = find_merge(best, best + 1, find);
  }
  symbols_.resize(count);
}

template <class Find>
void SymbolList::propose(std::size_t left, const Find& find) {
  Symbol& symbol = symbols_[left];
  const std::size_t right = left + symbol.span;
  symbol.rank = right == symbols_.size() ? Merge::kNoRank : find_merge(left, right, find).rank;
  if (symbol.rank != Merge::kNoRank) queue_.push(symbol.rank, static_cast<std::uint32_t>(left));
}

template <class FindFirst, class Find>
void SymbolList::merge_long(const FindFirst& find_first, const Find& find) {
  queue_.start(symbols_.size());
  for (std::size_t i = 0; i < symbols_.size(); ++i) propose(i, find_first);
  while (const auto pair = queue_.pop()) {
    const std::size_t left = pair->left;
    Symbol& symbol = symbols_[left];
    // Anything else is an old proposal: the symbol or its neighbour merged otherwise.
    if (symbol.token == kDead || symbol.rank != pair->rank) continue;
    const std::size_t right = left + symbol.span;
    const bool as_pushed = symbol.span == 1 && symbols_[right].span == 1;
    join(left, right,
         (as_pushed ? find_merge(left, right, find_first) : find_merge(left, right, find)).token);
    if (left > 0) propose(left - symbols_[left - 1].span, find);
    propose(left, find);
  }
  compact();
}

template <class Visit>
void SymbolList::for_each(const Visit& visit) const {
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    visit(symbols_[i].token, begin_of(i), symbols_[i].end);
}

}  // namespace cairn::text
