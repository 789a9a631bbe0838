#include "cache/node_index.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace cairn::cache {

NodeIndex::NodeIndex(std::int32_t node_capacity)
    : entries_(
          std::bit_ceil(std::size_t{2} * static_cast<std::size_t>(std::max(1, node_capacity)))),
      mask_(entries_.size() - 1) {}

void NodeIndex::insert(std::uint64_t hash, NodeId node) {
  CHECK(static_cast<std::size_t>(size_) * 2 < entries_.size(), "{} entries", size_);
  std::size_t slot = home(hash);
  while (entries_[slot].node != kNoNode) slot = next(slot);
  entries_[slot] = {hash, node};
  ++size_;
}

void NodeIndex::erase(std::uint64_t hash, NodeId node) {
  std::size_t hole = home(hash);
  while (entries_[hole].node != node) {
    CHECK(entries_[hole].node != kNoNode, "node {} is not in the index", node.value);
    hole = next(hole);
  }
  // An entry moves into the hole if its home is not between the hole and where it stands.
  for (std::size_t slot = next(hole); entries_[slot].node != kNoNode; slot = next(slot)) {
    const std::size_t from_home = (slot - home(entries_[slot].hash)) & mask_;
    const std::size_t from_hole = (slot - hole) & mask_;
    if (from_home < from_hole) continue;
    entries_[hole] = entries_[slot];
    hole = slot;
  }
  entries_[hole] = {};
  --size_;
}

void NodeIndex::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  size_ = 0;
}

}  // namespace cairn::cache
