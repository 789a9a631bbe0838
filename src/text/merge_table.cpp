#include "text/merge_table.h"

#include <bit>

namespace cairn::text {

namespace {

std::uint64_t pair_of(TokenId left, TokenId right) {
  return std::uint64_t{static_cast<std::uint32_t>(left.value)} << 32 |
         static_cast<std::uint32_t>(right.value);
}

}  // namespace

MergeTable::MergeTable(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

std::size_t MergeTable::slot_of(std::uint64_t pair) const {
  const std::size_t mask = slots_.size() - 1;
  // Fibonacci hashing: the high bits of the product depend on every bit of the pair.
  std::size_t slot = (pair * 0x9E3779B97F4A7C15ULL) >> 32 & mask;
  while (slots_[slot].pair != kFreePair && slots_[slot].pair != pair) slot = (slot + 1) & mask;
  return slot;
}

void MergeTable::insert(TokenId left, TokenId right, Merge merge) {
  const std::uint64_t pair = pair_of(left, right);
  Slot& slot = slots_[slot_of(pair)];
  if (slot.pair == kFreePair) slot = {pair, merge};
}

std::optional<Merge> MergeTable::find(TokenId left, TokenId right) const {
  const Slot& slot = slots_[slot_of(pair_of(left, right))];
  if (slot.pair == kFreePair) return std::nullopt;
  return slot.merge;
}

}  // namespace cairn::text
