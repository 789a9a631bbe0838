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
  std::optional<Merge> find(TokenId left, TokenId right) const;

 private:
  struct Slot {
    std::uint64_t pair = kFreePair;
    Merge merge;
  };
  static constexpr std::uint64_t kFreePair = ~std::uint64_t{0};  // tokens are never negative
  std::size_t slot_of(std::uint64_t pair) const;

  std::vector<Slot> slots_;  // a power of two, at most two thirds full
};

}  // namespace cairn::text
