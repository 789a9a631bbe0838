#pragma once
// The merges of a byte-pair vocabulary: (left token, right token) -> rank and merged token. A flat
// hash table; thread-safe once filled.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "text/merge.h"

namespace cairn::text {

class MergeTable {
 public:
  /// Room for `count` merges, which insert() must not exceed.
  explicit MergeTable(std::size_t count);

  /// The first of two merges of one pair counts.
  void insert(TokenId left, TokenId right, Merge merge);
  std::optional<Merge> find(TokenId left, TokenId right) const {
    const Merge merge = lookup(left, right);
    return merge.rank == Merge::kNoRank ? std::nullopt : std::optional(merge);
  }
  /// The same with Merge::kNoRank for none.
  Merge lookup(TokenId left, TokenId right) const { return slots_[slot_of(left, right)].merge; }

 private:
  struct Slot {
    std::uint64_t pair = kFreePair;
    Merge merge;
  };
  static constexpr std::uint64_t kFreePair = ~std::uint64_t{0};  // tokens are never negative

  static std::uint64_t pair_of(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left.value)} << 32 |
           static_cast<std::uint32_t>(right.value);
  }
  /// Where the pair stands or would stand.
  std::size_t slot_of(TokenId left, TokenId right) const {
    const std::uint64_t pair = pair_of(left, right);
    const std::size_t mask = slots_.size() - 1;
    // Fibonacci hashing: the high bits of the product depend on every bit of the pair.
    std::size_t slot = (pair * 0x9E3779B97F4A7C15ULL) >> 32 & mask;
    while (slots_[slot].pair != pair && slots_[slot].pair != kFreePair) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<Slot> slots_;  // a power of two, at most two thirds full
};

}  // namespace cairn::text
