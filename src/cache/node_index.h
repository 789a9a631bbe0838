#pragma once
// A flat hash table from 64-bit hashes to nodes: open addressing with linear probing, at most half
// full, no tombstones (what follows a hole moves up).
//
//     slot     0    1    2    3    4    5    6    7
//     home          1    1    2         5            node 7 lives at 1 and stands at 2
//     node     -    3    7    9    -    4    -    -
//
// Not thread-safe. Allocates in the constructor only.

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace cairn::cache {

using NodeId = base::Id<struct NodeTag>;
inline constexpr NodeId kNoNode{-1};

class NodeIndex {
 public:
  explicit NodeIndex(std::int32_t node_capacity);

  /// The first node with this hash for which is_equal(node), or kNoNode.
  template <class IsEqual>
  NodeId find(std::uint64_t hash, const IsEqual& is_equal) const {
    for (std::size_t slot = home(hash);; slot = next(slot)) {
      const Entry& entry = entries_[slot];
      if (entry.node == kNoNode) return kNoNode;
      if (entry.hash == hash && is_equal(entry.node)) return entry.node;
    }
  }
  /// REQUIRES: not there yet; fewer than node_capacity entries.
  void insert(std::uint64_t hash, NodeId node);
  /// REQUIRES: there.
  void erase(std::uint64_t hash, NodeId node);
  void clear();
  std::int32_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    NodeId node = kNoNode;
  };
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & mask_; }
  std::size_t next(std::size_t slot) const { return (slot + 1) & mask_; }

  std::vector<Entry> entries_;  // a power of two
  std::size_t mask_ = 0;
  std::int32_t size_ = 0;
};

}  // namespace cairn::cache
