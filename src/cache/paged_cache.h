#pragma once
// Gives sequences the pages that their keys and values stand in, and lets sequences that begin
// alike share them: one pool and one table a page group, one prefix tree over all. Integers only;
// the bytes are the engine's (engine/kv_store), which also executes the copies asked for here.
//
// A sequence's life: open() finds what is already computed of its tokens, extend() gives it pages
// before a step writes them, advance() says what has been computed (full pages enter the tree), and
// close() ends it; what it leaves behind serves later prompts until its pages are needed.
//
//     tokens   [ page 0 | page 1 | page 2 | page 3 . | . . . . ]
//                published in the tree      own pages  extended
//                                                    ^         ^
//                                         computed_count   pages end
//
// A page is written by one table only, and only while no other table and no tree node knows it:
// extend() copies or takes over what it could not write otherwise.
//
// Recurrent layers (SlotState): a table's id is the index of its state's slot; there are as many
// slots as tables.
//
// Not thread-safe. Deterministic. Allocates in the constructor only (check_integrity() aside).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/page_group.h"
#include "cache/page_pool.h"
#include "cache/page_table.h"
#include "cache/prefix_tree.h"

namespace cairn::cache {

/// The first token_count positions of a page are to be copied. Copies are executed in the order in
/// which they were asked for, before any row of the step is written.
struct PageCopy {
  std::int32_t group = 0;
  PageId from;
  PageId to;
  std::int32_t token_count = 0;
};

struct PagedCacheOptions {
  std::int32_t page_tokens = 16;
  std::vector<std::int32_t> page_counts;  // by group
  std::int32_t max_sequences = 1;         // tables open at a time
  std::int32_t sequence_tokens = 0;       // longest sequence
  std::int32_t chunk_tokens = 0;          // most positions a table gets between two advance()
  bool share_prefixes = true;             // false: no tree; only fork() shares
};

class PagedCache {
 public:
  PagedCache(std::vector<PageGroup> groups, PagedCacheOptions options);

  std::span<const PageGroup> groups() const { return groups_; }
  const PagedCacheOptions& options() const { return options_; }

  /// Whether a sequence that grows to `token_count` fits when it is alone.
  bool fits(std::int32_t token_count) const;
  /// Positions of a prompt that need no computing: the longest prefix for which every group holds
  /// what the next position reads. Less than tokens.size(): one token is always computed.
  std::int32_t match_prefix(std::span<const TokenId> tokens, std::uint64_t salt) const;
  /// A match may have changed only if this has.
  std::uint64_t version() const { return tree_.version(); }

  /// A table that begins with what match_prefix() finds (see computed_count). Nothing only if no
  /// table is free.
  std::optional<TableId> open(std::span<const TokenId> tokens, std::uint64_t salt);
  /// Pages for all positions below `token_count`, evicting cached ones where free ones lack;
  /// appends the copies that must precede the writing. False, and nothing is changed, where
  /// pages_to_extend() exceeds available() in some group.
  bool extend(TableId table, std::int32_t token_count, std::vector<PageCopy>& copies);
  /// Positions below `computed_count` are computed and accepted; `tokens` are the sequence's.
  /// Full pages are published; where the tree has an equal page, it replaces the own one; pages
  /// left of a window are given up.
  void advance(TableId table, std::span<const TokenId> tokens, std::int32_t computed_count);
  /// A table that shares the first `token_count` positions. Nothing if no table is free.
  /// REQUIRES: token_count <= computed_count, and, where a group has a window, no less than what
  /// the last advance() said minus 1 (older keys may be gone).
  std::optional<TableId> fork(TableId table, std::int32_t token_count);
  /// Gives up the pages behind `token_count`; computed_count falls to it. REQUIRES: as fork().
  void truncate(TableId table, std::int32_t token_count);
  /// Ends the sequence. keep: what is computed of `tokens` stays in the tree, the partly filled
  /// last page too; else pages that are not published are free at once.
  void close(TableId table, std::span<const TokenId> tokens, bool keep);

  /// Frees all pages that no open table holds.
  void drop_cached();
  /// Closes all tables and forgets everything: the way on after a fault.
  void reset();

  std::int32_t computed_count(TableId table) const { return entry(table).computed_count; }
  /// By position / page_tokens. Valid until the next call that changes the table.
  std::span<const PageId> pages(TableId table, std::size_t group) const {
    return entry(table).tables[group].pages();
  }
  const PagePool& pool(std::size_t group) const { return pools_[group]; }

  /// Pages that extend() can give: the free ones, and those it may evict.
  std::int32_t available(std::size_t group) const {
    return pools_[group].free_count() + pools_[group].cached_count();
  }
  /// Pages that extend() needs at least.
  std::int32_t pages_to_extend(TableId table, std::int32_t token_count, std::size_t group) const;
  /// Pages by which close() raises available().
  std::int32_t pages_freed_by_closing(TableId table, std::size_t group) const;

  std::int32_t open_count() const {
    return options_.max_sequences - static_cast<std::int32_t>(free_tables_.size());
  }
  /// Over all groups.
  std::int64_t owned_pages() const;
  std::int64_t cached_pages() const;
  std::int64_t free_pages() const;

  /// A sentence about the first fault, or empty: counts add up, every reference has its table
  /// entry, tables and tree name the same pages. For tests and idle times.
  std::string check_integrity() const;

 private:
  struct Entry {
    std::vector<PageTable> tables;  // by group
    std::int32_t computed_count = 0;
    std::int32_t published_count = 0;  // leading pages that stand in the tree
    NodeId path_end = kNoNode;         // the node of the last of them; pinned
    bool open = false;
  };
  struct Match {
    NodeId path_end = kNoNode;  // the last node of the full pages
    std::int32_t page_count = 0;
    NodeId partial = kNoNode;  // its child that is equal in its first tokens
    std::int32_t partial_tokens = 0;
  };

  std::size_t group_count() const { return groups_.size(); }
  bool is_windowed(std::size_t group) const { return groups_[group].state.window_tokens > 0; }
  /// Index of the first page that a query at `position` reads.
  std::int32_t first_page(std::size_t group, std::int32_t position) const;
  Entry& entry(TableId table);
  const Entry& entry(TableId table) const;
  std::optional<TableId> take_table();
  void free_table(TableId table);

  // Matching.
  Match find_match(std::span<const TokenId> tokens, std::uint64_t salt) const;
  bool windows_are_whole(std::int32_t token_count) const;
  void take_over(Entry& entry, const Match& match);
  NodeId ancestor(NodeId node, std::int32_t steps) const;

  // Writing.
  bool continues_page(const Entry& entry, std::int32_t token_count) const;
  void make_writable(Entry& entry, std::size_t group, std::int32_t missing,
                     std::vector<PageCopy>& copies);
  void take_from_tree(std::size_t group, PageId page);
  PageId take_page(std::size_t group);

  // Publishing.
  void publish_full_pages(Entry& entry, std::span<const TokenId> tokens);
  void publish_partial_page(Entry& entry, std::span<const TokenId> tokens);
  void adopt(Entry& entry, std::size_t group, NodeId node);
  NodeId add_node(NodeId parent, std::span<const TokenId> tokens);
  void move_path_end(Entry& entry, NodeId node, std::int32_t published_count);
  void leave_windows(Entry& entry);
  void release_behind(Entry& entry, std::int32_t page_count);

  // Eviction.
  void evict(std::size_t group);
  void evict_any();
  void give_up_page(NodeId node, std::size_t group);
  void remove_node(NodeId node);
  void remove_subtree(NodeId node);
  void remove_if_useless(NodeId node);

  // Integrity.
  std::string check_tables() const;
  std::string check_path(const Entry& entry) const;
  std::string check_group(std::size_t group) const;
  std::string check_nodes() const;
  std::string check_eviction_order(std::size_t group) const;

  std::vector<PageGroup> groups_;
  PagedCacheOptions options_;
  std::vector<PagePool> pools_;  // by group
  PrefixTree tree_;
  std::vector<Entry> entries_;  // by TableId
  std::vector<TableId> free_tables_;
  mutable std::vector<std::int32_t> last_holes_;  // by group; scratch of find_match()
};

}  // namespace cairn::cache
