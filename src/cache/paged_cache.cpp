#include "cache/paged_cache.h"

#include <algorithm>

#include "base/check.h"
#include "cache/page_demand.h"

namespace cairn::cache {
namespace {

/// Enough for every node that cannot be evicted, and for as many as can hold a page.
std::int32_t node_capacity(std::span<const PageGroup> groups, const PagedCacheOptions& options) {
  if (!options.share_prefixes) return 0;
  std::int64_t nodes = -1;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    // A node holds a page of every group without a window; each salt's root is one more.
    if (groups[group].state.window_tokens > 0) continue;
    const std::int64_t most = std::int64_t{options.page_counts[group]} * 2 + options.max_sequences;
    nodes = nodes < 0 ? most : std::min(nodes, most);
  }
  if (nodes < 0) {
    // Nodes whose pages left the window remain above the others: a path and two more a table.
    const std::int64_t path = pages_to_hold(options.sequence_tokens, options.page_tokens);
    nodes = options.max_sequences * (path + 2);
  }
  CHECK(nodes < INT32_MAX / 4, "{} nodes", nodes);
  return static_cast<std::int32_t>(nodes) + 1;
}

}  // namespace

PagedCache::PagedCache(std::vector<PageGroup> groups, PagedCacheOptions options)
    : groups_(std::move(groups)),
      options_(std::move(options)),
      tree_(node_capacity(groups_, options_), options_.page_tokens, options_.page_counts),
      entries_(static_cast<std::size_t>(options_.max_sequences)),
      last_holes_(groups_.size()) {
  CHECK(options_.page_counts.size() == groups_.size(), "{} counts for {} groups",
        options_.page_counts.size(), groups_.size());
  CHECK(options_.page_tokens > 0 && options_.chunk_tokens > 0, "{} tokens a page, {} a chunk",
        options_.page_tokens, options_.chunk_tokens);
  for (const std::int32_t count : options_.page_counts) pools_.emplace_back(count);
  const std::int32_t pages = pages_to_hold(options_.sequence_tokens, options_.page_tokens);
  for (Entry& entry : entries_) {
    entry.tables.resize(groups_.size());
    for (PageTable& table : entry.tables) table.reserve(pages);
  }
  free_tables_.reserve(entries_.size());
  reset();
}

void PagedCache::reset() {
  for (PagePool& pool : pools_) pool.clear();
  tree_.clear();
  free_tables_.clear();
  for (std::size_t index = entries_.size(); index-- > 0;) {
    for (PageTable& table : entries_[index].tables) table.forget();
    free_table(TableId(static_cast<std::int32_t>(index)));
  }
}

PagedCache::Entry& PagedCache::entry(TableId table) {
  return const_cast<Entry&>(std::as_const(*this).entry(table));
}

const PagedCache::Entry& PagedCache::entry(TableId table) const {
  CHECK(table.value >= 0 && static_cast<std::size_t>(table.value) < entries_.size(), "table {}",
        table.value);
  const Entry& entry = entries_[static_cast<std::size_t>(table.value)];
  CHECK(entry.open, "table {} is not open", table.value);
  return entry;
}

std::optional<TableId> PagedCache::take_table() {
  if (free_tables_.empty()) return std::nullopt;
  const TableId table = free_tables_.back();
  free_tables_.pop_back();
  entries_[static_cast<std::size_t>(table.value)].open = true;
  return table;
}

void PagedCache::free_table(TableId table) {
  Entry& entry = entries_[static_cast<std::size_t>(table.value)];
  entry.computed_count = entry.published_count = 0;
  entry.path_end = kNoNode;
  entry.open = false;
  free_tables_.push_back(table);
}

std::int32_t PagedCache::first_page(std::size_t group, std::int32_t position) const {
  return first_visible(groups_[group].state, position) / options_.page_tokens;
}

NodeId PagedCache::ancestor(NodeId node, std::int32_t steps) const {
  for (; steps > 0; --steps) node = tree_.parent(node);
  return node;
}

std::optional<TableId> PagedCache::open(std::span<const TokenId> tokens, std::uint64_t salt) {
  const auto table = take_table();
  if (!table || !options_.share_prefixes) return table;
  Match match = find_match(tokens, salt);
  if (match.path_end == kNoNode) {
    if (tree_.node_count() == tree_.capacity()) evict_any();
    match.path_end = tree_.add_root(salt);
  }
  take_over(entry(*table), match);
  return table;
}

std::optional<TableId> PagedCache::fork(TableId table, std::int32_t token_count) {
  const Entry& from = entry(table);
  CHECK(token_count >= 0 && token_count <= from.computed_count, "fork at {} of {} positions",
        token_count, from.computed_count);
  const auto copy = take_table();
  if (!copy) return std::nullopt;
  Entry& to = entry(*copy);
  const std::int32_t page_count = pages_to_hold(token_count, options_.page_tokens);
  for (std::size_t group = 0; group < group_count(); ++group) {
    const std::int32_t first = first_page(group, token_count);
    CHECK(first >= from.tables[group].first_held(), "group {}: page {} has left the window", group,
          first);
    to.tables[group].start(first, page_count);
    for (std::int32_t index = first; index < page_count; ++index) {
      const PageId page = from.tables[group].at(index);
      pools_[group].share(page);
      to.tables[group].replace(index, page);
    }
  }
  to.computed_count = token_count;
  if (!options_.share_prefixes) return copy;
  const std::int32_t published = std::min(from.published_count, token_count / options_.page_tokens);
  move_path_end(to, ancestor(from.path_end, from.published_count - published), published);
  return copy;
}

void PagedCache::truncate(TableId table, std::int32_t token_count) {
  Entry& cut = entry(table);
  for (std::size_t group = 0; group < group_count(); ++group) {
    CHECK(token_count >= 0 && first_page(group, token_count) >= cut.tables[group].first_held(),
          "group {}: what position {} reads has left the window", group, token_count);
  }
  release_behind(cut, pages_to_hold(token_count, options_.page_tokens));
  if (token_count >= cut.computed_count) return;
  cut.computed_count = token_count;
  const std::int32_t published = std::min(cut.published_count, token_count / options_.page_tokens);
  if (published == cut.published_count) return;
  move_path_end(cut, ancestor(cut.path_end, cut.published_count - published), published);
}

void PagedCache::close(TableId table, std::span<const TokenId> tokens, bool keep) {
  Entry& closed = entry(table);
  if (keep && options_.share_prefixes) publish_partial_page(closed, tokens);
  // The last pages first: in a pool's list of cached pages, a node's stands after its children's.
  release_behind(closed, 0);
  move_path_end(closed, kNoNode, 0);
  free_table(table);
}

void PagedCache::release_behind(Entry& entry, std::int32_t page_count) {
  for (std::size_t group = 0; group < group_count(); ++group) {
    PageTable& table = entry.tables[group];
    while (table.size() > page_count && table.held_count() > 0) {
      pools_[group].release(table.drop_last());
    }
    if (page_count == 0) table.clear();
  }
}

void PagedCache::advance(TableId table, std::span<const TokenId> tokens,
                         std::int32_t computed_count) {
  Entry& advanced = entry(table);
  CHECK(computed_count >= advanced.computed_count &&
            static_cast<std::size_t>(computed_count) <= tokens.size(),
        "table {}: {} positions computed, then {} of {} tokens", table.value,
        advanced.computed_count, computed_count, tokens.size());
  for (const PageTable& pages : advanced.tables) {
    CHECK(computed_count <= std::int64_t{pages.size()} * options_.page_tokens,
          "table {}: {} positions computed on {} pages", table.value, computed_count, pages.size());
  }
  advanced.computed_count = computed_count;
  if (options_.share_prefixes) publish_full_pages(advanced, tokens);
  leave_windows(advanced);
}

void PagedCache::leave_windows(Entry& entry) {
  for (std::size_t group = 0; group < group_count(); ++group) {
    if (!is_windowed(group)) continue;
    PageTable& table = entry.tables[group];
    // What the last position reads stays: it may be computed again (fork, truncate).
    const std::int32_t first = first_page(group, std::max(0, entry.computed_count - 1));
    while (table.first_held() < first && table.held_count() > 0) {
      pools_[group].release(table.drop_first());
    }
  }
}

void PagedCache::drop_cached() {
  for (std::size_t group = 0; group < group_count(); ++group) {
    while (pools_[group].cached_count() > 0) evict(group);
  }
}

}  // namespace cairn::cache
