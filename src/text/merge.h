#pragma once
// Byte-pair merging (Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with
// Subword Units", ACL 2016): of all adjacent pairs that merge, the one of lowest rank goes first,
// the leftmost of equals. A heap of candidates over a linked list: O(n log n).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace cairn::text {

struct Merge {
  std::uint32_t rank = 0;  // lower merges first
  TokenId token;           // what the pair becomes
};

/// One symbol of the piece being merged. It begins where its predecessor ends.
struct Symbol {
  TokenId token;               // -1: not in the vocabulary
  std::uint32_t end = 0;       // offset in the piece
  std::uint32_t previous = 0;  // indices into the list
  std::uint32_t next = 0;
};

/// Reused from piece to piece. Not thread-safe.
class SymbolList {
 public:
  void clear() { symbols_.clear(); }
  void push(TokenId token, std::uint32_t end);

  /// `find(left, right, begin, end)` -> optional<Merge>: what the symbols `left` and `right`, which
  /// together span [begin, end) of the piece, become.
  template <class Find>
  void merge(const Find& find);

  /// `visit(token, begin, end)` for what is left, in order.
  template <class Visit>
  void for_each(const Visit& visit) const;

  /// Gives back the memory of an unusually long piece.
  void shrink();

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kDead = 0xFFFFFFFE;  // as `previous`: merged into another symbol

  // Valid while `left` lives and its right neighbour still ends at `end`: a symbol only ever grows
  // to the right, so an equal end means an equal pair.
  struct Candidate {
    std::uint64_t order = 0;  // rank, then left
    std::uint32_t end = 0;
    TokenId token;
    friend bool operator>(const Candidate& a, const Candidate& b) { return a.order > b.order; }
  };

  std::uint32_t begin_of(const Symbol& symbol) const {
    return symbol.previous == kNone ? 0 : symbols_[symbol.previous].end;
  }
  template <class Find>
  bool propose(std::uint32_t left, const Find& find);

  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;
};

inline void SymbolList::push(TokenId token, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(symbols_.size());
  if (index > 0) symbols_.back().next = index;
  symbols_.push_back({token, end, index > 0 ? index - 1 : kNone, kNone});
}

inline void SymbolList::shrink() {
  constexpr std::size_t usual_symbols = 1 << 16;
  if (symbols_.capacity() > usual_symbols) std::vector<Symbol>().swap(symbols_);
  if (heap_.capacity() > usual_symbols) std::vector<Candidate>().swap(heap_);
}

template <class Find>
bool SymbolList::propose(std::uint32_t left, const Find& find) {
  const Symbol& first = symbols_[left];
  if (first.next == kNone) return false;
  const Symbol& second = symbols_[first.next];
  const std::optional<Merge> merge = find(first.token, second.token, begin_of(first), second.end);
  if (!merge) return false;
  heap_.push_back({std::uint64_t{merge->rank} << 32 | left, second.end, merge->token});
  return true;
}

template <class Find>
void SymbolList::merge(const Find& find) {
  heap_.clear();
  for (std::uint32_t i = 0; i + 1 < symbols_.size(); ++i) propose(i, find);
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
  const auto propose_later = [&](std::uint32_t left) {
    if (propose(left, find)) std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  };
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    const Candidate best = heap_.back();
    heap_.pop_back();
    const auto index = static_cast<std::uint32_t>(best.order);
    Symbol& left = symbols_[index];
    if (left.previous == kDead || left.next == kNone) continue;
    Symbol& right = symbols_[left.next];
    if (right.end != best.end) continue;
    left.token = best.token;
    left.end = right.end;
    left.next = right.next;
    right.previous = kDead;
    if (left.next != kNone) symbols_[left.next].previous = index;
    if (left.previous != kNone) propose_later(left.previous);
    propose_later(index);
  }
}

template <class Visit>
void SymbolList::for_each(const Visit& visit) const {
  if (symbols_.empty()) return;
  for (std::uint32_t i = 0; i != kNone; i = symbols_[i].next)
    visit(symbols_[i].token, begin_of(symbols_[i]), symbols_[i].end);
}

}  // namespace cairn::text
