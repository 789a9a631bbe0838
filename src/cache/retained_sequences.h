#pragma once
// What finished sequences left behind: their tokens and the tables with their pages. A prompt that
// begins with the same tokens takes a sequence over, whole, and goes on from there. The smallest
// thing that keeps a conversation's KV between turns; it shares nothing between live sequences.
//
// Not thread-safe. Allocates in the constructor only.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "cache/page_table.h"

namespace cairn::cache {

struct RetainedSequence {
  TableId table;
  std::uint64_t salt = 0;
  std::int64_t last_used = 0;
  std::vector<TokenId> tokens;  // whose keys and values stand in the pages
};

class RetainedSequences {
 public:
  RetainedSequences(std::int32_t capacity, std::int32_t sequence_tokens);

  std::span<const RetainedSequence> entries() const { return std::span(entries_).first(count_); }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == entries_.size(); }

  /// REQUIRES: !full().
  void add(TableId table, std::span<const TokenId> tokens, std::uint64_t salt);
  /// Removes entry `index` and returns its table.
  TableId take(std::size_t index);
  /// Index of the entry that was added first. REQUIRES: !empty().
  std::size_t oldest() const;

 private:
  std::vector<RetainedSequence> entries_;  // the first count_ are in use; token memory is kept
  std::size_t count_ = 0;
  std::int64_t uses_ = 0;
};

/// Number of leading tokens that two sequences share.
std::int32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b);

}  // namespace cairn::cache
