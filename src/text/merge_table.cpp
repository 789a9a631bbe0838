#include "text/merge_table.h"

#include <bit>

namespace cairn::text {

MergeTable::MergeTable(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

void MergeTable::insert(TokenId left, TokenId right, Merge merge) {
  Slot& slot = slots_[slot_of(left, right)];
  if (slot.pair == kFreePair) slot = {pair_of(left, right), merge};
}

}  // namespace cairn::text
