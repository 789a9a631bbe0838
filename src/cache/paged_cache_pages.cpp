// PagedCache: pages to write on, and where they come from.

#include <algorithm>

#include "base/check.h"
#include "cache/page_demand.h"
#include "cache/paged_cache.h"

namespace cairn::cache {

bool PagedCache::fits(std::int32_t token_count) const {
  if (token_count > options_.sequence_tokens) return false;
  for (std::size_t group = 0; group < group_count(); ++group) {
    const std::int32_t needed = pages_needed(groups_[group].state, token_count,
                                             options_.page_tokens, options_.chunk_tokens);
    if (needed > pools_[group].page_count()) return false;
  }
  return true;
}

/// Whether the next position to be written stands in a page that is in use already.
bool PagedCache::continues_page(const Entry& entry, std::int32_t token_count) const {
  return entry.computed_count < token_count && entry.computed_count % options_.page_tokens != 0;
}

std::int32_t PagedCache::pages_to_extend(TableId table, std::int32_t token_count,
                                         std::size_t group) const {
  const Entry& extended = entry(table);
  const PageTable& pages = extended.tables[group];
  const std::int32_t size = pages_to_hold(token_count, options_.page_tokens);
  const std::int32_t missing = std::max(0, size - pages.size());
  if (!continues_page(extended, token_count)) return missing;
  // A page that other tables use is copied; one that only the tree knows can be taken from it.
  const PageId last = pages.at(extended.computed_count / options_.page_tokens);
  return missing + (pools_[group].reference_count(last) > 1 ? 1 : 0);
}

bool PagedCache::extend(TableId table, std::int32_t token_count, std::vector<PageCopy>& copies) {
  Entry& extended = entry(table);
  CHECK(token_count <= options_.sequence_tokens, "table {}: {} of {} tokens", table.value,
        token_count, options_.sequence_tokens);
  for (std::size_t group = 0; group < group_count(); ++group) {
    if (pages_to_extend(table, token_count, group) > available(group)) return false;
  }
  const std::int32_t size = pages_to_hold(token_count, options_.page_tokens);
  for (std::size_t group = 0; group < group_count(); ++group) {
    PageTable& pages = extended.tables[group];
    if (continues_page(extended, token_count)) {
      make_writable(extended, group, std::max(0, size - pages.size()), copies);
    }
    while (pages.size() < size) pages.append(take_page(group));
  }
  return true;
}

void PagedCache::make_writable(Entry& entry, std::size_t group, std::int32_t missing,
                               std::vector<PageCopy>& copies) {
  PagePool& pool = pools_[group];
  const std::int32_t index = entry.computed_count / options_.page_tokens;
  const PageId shared = entry.tables[group].at(index);
  if (pool.reference_count(shared) == 1) {
    if (!pool.remembered(shared)) return;
    if (available(group) <= missing) return take_from_tree(group, shared);
  }
  const PageId own = take_page(group);
  entry.tables[group].replace(index, own);
  copies.push_back(
      {static_cast<std::int32_t>(group), shared, own, entry.computed_count % options_.page_tokens});
  pool.release(shared);
}

/// The tree forgets a page that one table holds, and with it what it could not find without.
void PagedCache::take_from_tree(std::size_t group, PageId page) {
  const NodeId node = tree_.holder(group, page);
  if (!is_windowed(group)) return remove_subtree(node);
  give_up_page(node, group);
  remove_if_useless(node);
}

PageId PagedCache::take_page(std::size_t group) {
  if (pools_[group].free_count() == 0) evict(group);
  const auto page = pools_[group].take();
  CHECK(page.has_value(), "group {}: no page is free", group);
  return *page;
}

void PagedCache::evict(std::size_t group) {
  const PageId page = pools_[group].oldest_cached();
  CHECK(page != PagePool::kNone, "group {}: nothing is cached", group);
  const NodeId node = tree_.holder(group, page);
  if (!is_windowed(group)) return remove_node(node);
  give_up_page(node, group);
  remove_if_useless(node);
}

void PagedCache::evict_any() {
  for (std::size_t group = 0; tree_.node_count() == tree_.capacity(); ++group) {
    CHECK(group < group_count(), "all {} nodes are in use", tree_.capacity());
    while (tree_.node_count() == tree_.capacity() && pools_[group].cached_count() > 0) evict(group);
  }
}

void PagedCache::give_up_page(NodeId node, std::size_t group) {
  const PageId page = tree_.page(node, group);
  if (page == PageTable::kNoPage) return;
  tree_.set_page(node, group, PageTable::kNoPage);
  pools_[group].forget(page);
}

void PagedCache::remove_node(NodeId node) {
  for (std::size_t group = 0; group < group_count(); ++group) give_up_page(node, group);
  const NodeId parent = tree_.parent(node);
  tree_.remove(node);
  remove_if_useless(parent);
}

void PagedCache::remove_subtree(NodeId node) {
  tree_.pin(node);
  for (NodeId child = tree_.first_child(node); child != kNoNode; child = tree_.first_child(node)) {
    while (tree_.first_child(child) != kNoNode) child = tree_.first_child(child);
    remove_node(child);
  }
  tree_.unpin(node);
  remove_node(node);
}

/// Nodes without pages go as soon as nothing below needs their path.
void PagedCache::remove_if_useless(NodeId node) {
  while (node != kNoNode && tree_.first_child(node) == kNoNode && tree_.pin_count(node) == 0 &&
         !tree_.holds_pages(node)) {
    const NodeId parent = tree_.parent(node);
    tree_.remove(node);
    node = parent;
  }
}

std::int32_t PagedCache::pages_freed_by_closing(TableId table, std::size_t group) const {
  const auto held = entry(table).tables[group].held();
  return static_cast<std::int32_t>(std::count_if(held.begin(), held.end(), [&](PageId page) {
    return pools_[group].reference_count(page) == 1;
  }));
}

std::int64_t PagedCache::owned_pages() const {
  std::int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.owned_count();
  return sum;
}

std::int64_t PagedCache::cached_pages() const {
  std::int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.cached_count();
  return sum;
}

std::int64_t PagedCache::free_pages() const {
  std::int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.free_count();
  return sum;
}

}  // namespace cairn::cache
