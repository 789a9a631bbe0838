#pragma once
// Gives sequences the pages that their keys and values stand in: one pool and one table a page
// group. Integers only; the bytes are the engine's (engine/kv_store).
//
// A sequence's life here: open() admits it and promises it pages, extend() gives it pages before a
// step writes them, advance() says what has been computed (pages that left a window become free),
// and close() ends it; what it leaves behind may serve a later prompt that begins the same.
//
// A promise: pages that are free or can be freed, and that nobody else will be given. What a
// sequence was promised at open() is there when it comes to extend(), so that it runs to its end
// (M3).
//
// Not thread-safe. Allocates in the constructor only (check_integrity() aside).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/page_demand.h"
#include "cache/page_group.h"
#include "cache/page_pool.h"
#include "cache/page_table.h"
#include "cache/retained_sequences.h"

namespace cairn::cache {

struct CacheOptions {
  std::int32_t page_tokens = 16;
  std::vector<std::int32_t> page_counts;  // by group
  std::int32_t max_sequences = 1;         // open at a time
  std::int32_t max_retained = 0;          // finished sequences kept for reuse
  std::int32_t sequence_tokens = 0;       // longest sequence
  std::int32_t chunk_tokens = 0;          // most positions a sequence gets between two advance()
};

class CacheManager {
 public:
  CacheManager(std::vector<PageGroup> groups, CacheOptions options);

  std::span<const PageGroup> groups() const { return groups_; }
  const CacheOptions& options() const { return options_; }

  /// Whether a sequence that grows to `token_count` fits when it is alone.
  bool fits(std::int32_t token_count) const;
  /// Positions of a prompt that need no computing: the longest prefix for which every group holds
  /// what the next position reads. Less than tokens.size(): one token is always computed.
  std::int32_t match_prefix(std::span<const TokenId> tokens, std::uint64_t salt) const;

  /// Admits a sequence with this prompt: takes over the prefix that match_prefix() found (see
  /// computed_count) and promises pages to grow to `promised_tokens`. Nothing if those are not
  /// there, or no table is free.
  std::optional<TableId> open(std::span<const TokenId> prompt, std::uint64_t salt,
                              std::int32_t promised_tokens);
  /// Pages for all positions below `token_count`. False, and nothing is changed, if they are not
  /// promised and not there.
  bool extend(TableId table, std::int32_t token_count);
  /// Positions below `computed_count` are computed and accepted.
  void advance(TableId table, std::int32_t computed_count);
  /// Ends the sequence. Its pages stay for reuse under its computed tokens; with `tokens` empty, or
  /// no room to retain it, they are free at once.
  void close(TableId table, std::span<const TokenId> tokens, std::uint64_t salt);
  /// Frees what finished sequences left behind.
  void clear_retained();

  std::int32_t computed_count(TableId table) const { return entry(table).computed_count; }
  /// By position / page_tokens. Valid until the next call that changes the table.
  std::span<const PageId> pages(TableId table, std::size_t group) const {
    return entry(table).tables[group].pages();
  }
  const PagePool& pool(std::size_t group) const { return pools_[group]; }
  /// Pages that could still be promised.
  std::int32_t available(std::size_t group) const;
  std::int32_t open_count() const;
  /// Pages of open sequences, over all groups.
  std::int64_t owned_pages() const;

  /// A sentence about the first fault, or empty: counts add up, every reference has its table
  /// entry, every promise can be kept. For tests and idle times.
  std::string check_integrity() const;

 private:
  struct Entry {
    std::vector<PageTable> tables;     // by group
    std::vector<std::int32_t> quotas;  // by group: pages it may come to hold
    std::int32_t computed_count = 0;
    bool open = false;
    std::int32_t promised(std::size_t group) const;
  };
  struct Match {
    std::size_t index = 0;
    std::int32_t token_count = 0;
  };

  Entry& entry(TableId table);
  const Entry& entry(TableId table) const;
  std::optional<Match> find_match(std::span<const TokenId> tokens, std::uint64_t salt) const;
  bool window_held(const Entry& entry, std::int32_t token_count) const;
  std::optional<TableId> take_table();
  void take_over(TableId table, std::int32_t token_count);
  void evict_oldest();
  void release_all(Entry& entry);
  void drop_left_window(Entry& entry, std::size_t group);
  std::string check_references(std::size_t group) const;

  std::vector<PageGroup> groups_;
  CacheOptions options_;
  std::vector<PagePool> pools_;         // by group
  std::vector<std::int32_t> promised_;  // by group: sum over open sequences
  std::vector<Entry> entries_;          // by TableId
  std::vector<TableId> free_tables_;
  RetainedSequences retained_;
};

}  // namespace cairn::cache
