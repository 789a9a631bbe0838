#pragma once
// The pairs that wait to merge, the lowest rank first, the leftmost of equals. A heap, and beside
// it a few runs that only grow: where text repeats, pairs of one rank arrive from left to right,
// and taking them from a run costs the same however long the text is, while a heap of them misses
// the cache at each level.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cairn::text {

/// Reused from piece to piece. Not thread-safe.
class MergeQueue {
 public:
  struct Pair {
    std::uint32_t rank = 0;
    std::uint32_t left = 0;
  };

  /// Empties the queue, for a piece of `symbol_count` symbols.
  void start(std::size_t symbol_count);
  void push(std::uint32_t rank, std::uint32_t left);
  std::optional<Pair> pop();
  /// Gives back the memory of an unusually long piece.
  void shrink();

 private:
  using Key = std::uint64_t;  // rank << 32 | left

  struct Run {
    std::vector<Key> keys;  // ascending
    std::size_t head = 0;   // those before are popped
    bool empty() const { return head == keys.size(); }
  };

  std::vector<Key> heap_;
  std::array<Run, 6> runs_;
  std::size_t run_count_ = 0;  // in use
};

}  // namespace cairn::text
