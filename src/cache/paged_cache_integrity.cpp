// PagedCache::check_integrity(): what must hold between any two calls.

#include <fmt/format.h>

#include "cache/paged_cache.h"

namespace cairn::cache {

std::string PagedCache::check_integrity() const {
  std::string fault = tree_.check_integrity();
  if (fault.empty()) fault = check_tables();
  if (fault.empty()) fault = check_nodes();
  for (std::size_t group = 0; group < group_count() && fault.empty(); ++group) {
    fault = pools_[group].check_integrity();
    if (fault.empty()) fault = check_group(group);
    if (!fault.empty()) fault = fmt::format("page group {}: {}", group, fault);
  }
  return fault;
}

std::string PagedCache::check_tables() const {
  std::size_t opened = 0;
  std::vector<std::int32_t> pins(static_cast<std::size_t>(tree_.capacity()), 0);
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    const Entry& entry = entries_[index];
    if (!entry.open) continue;
    ++opened;
    if (entry.path_end != kNoNode) ++pins[static_cast<std::size_t>(entry.path_end.value)];
    const std::string fault = check_path(entry);
    if (!fault.empty()) return fmt::format("table {}: {}", index, fault);
  }
  if (opened + free_tables_.size() != entries_.size()) {
    return fmt::format("{} tables are open and {} free of {}", opened, free_tables_.size(),
                       entries_.size());
  }
  for (std::int32_t node = 0; node < tree_.capacity(); ++node) {
    const std::int32_t wanted = pins[static_cast<std::size_t>(node)];
    if (tree_.pin_count(NodeId(node)) != wanted) {
      return fmt::format("node {} has {} pins, {} tables end there", node,
                         tree_.pin_count(NodeId(node)), wanted);
    }
  }
  return {};
}

std::string PagedCache::check_path(const Entry& entry) const {
  for (std::size_t group = 0; group < group_count(); ++group) {
    const PageTable& table = entry.tables[group];
    if (std::int64_t{table.size()} * options_.page_tokens < entry.computed_count) {
      return fmt::format("group {}: {} pages for {} computed positions", group, table.size(),
                         entry.computed_count);
    }
    if (table.first_held() > first_page(group, entry.computed_count)) {
      return fmt::format("group {}: page {} is the first, position {} reads from page {} on", group,
                         table.first_held(), entry.computed_count,
                         first_page(group, entry.computed_count));
    }
  }
  if (!options_.share_prefixes) return {};
  NodeId node = entry.path_end;
  for (std::int32_t index = entry.published_count - 1; index >= 0; --index) {
    if (node == kNoNode || tree_.is_root(node)) {
      return fmt::format("{} pages are published, the tree has {} less", entry.published_count,
                         index + 1);
    }
    for (std::size_t group = 0; group < group_count(); ++group) {
      const PageTable& table = entry.tables[group];
      if (index < table.first_held() || table.at(index) == tree_.page(node, group)) continue;
      return fmt::format("group {}: page {} of the sequence is {}, node {} has {}", group, index,
                         table.at(index).value, node.value, tree_.page(node, group).value);
    }
    node = tree_.parent(node);
  }
  if (node == kNoNode || !tree_.is_root(node)) return "its path does not begin at a root";
  return {};
}

std::string PagedCache::check_nodes() const {
  for (std::int32_t index = 0; index < tree_.capacity(); ++index) {
    const NodeId node(index);
    if (!tree_.is_used(node)) continue;
    const bool leaf = tree_.first_child(node) == kNoNode;
    if (leaf && tree_.pin_count(node) == 0 && !tree_.holds_pages(node)) {
      return fmt::format("node {} is of no use", index);
    }
    if (tree_.is_root(node)) continue;
    for (std::size_t group = 0; group < group_count(); ++group) {
      if (!is_windowed(group) && tree_.page(node, group) == PageTable::kNoPage) {
        return fmt::format("node {} has no page in group {}", index, group);
      }
    }
  }
  return {};
}

std::string PagedCache::check_group(std::size_t group) const {
  const PagePool& pool = pools_[group];
  std::vector<std::int32_t> references(static_cast<std::size_t>(pool.page_count()), 0);
  for (const Entry& entry : entries_) {
    for (const PageId page : entry.tables[group].held()) {
      if (page.value < 0 || page.value >= pool.page_count()) {
        return fmt::format("page {} in a table", page.value);
      }
      ++references[static_cast<std::size_t>(page.value)];
    }
  }
  for (std::int32_t index = 0; index < pool.page_count(); ++index) {
    const PageId page(index);
    const std::int32_t wanted = references[static_cast<std::size_t>(index)];
    if (pool.reference_count(page) != wanted) {
      return fmt::format("page {} has {} references and stands in {} tables", index,
                         pool.reference_count(page), wanted);
    }
    const NodeId holder = tree_.holder(group, page);
    if (pool.remembered(page) != (holder != kNoNode)) {
      return fmt::format("page {}: remembered {}, held by node {}", index, pool.remembered(page),
                         holder.value);
    }
  }
  return is_windowed(group) ? std::string() : check_eviction_order(group);
}

/// Whoever holds a child's page holds its parent's: among cached pages, children come first.
std::string PagedCache::check_eviction_order(std::size_t group) const {
  const PagePool& pool = pools_[group];
  std::vector<bool> listed(static_cast<std::size_t>(pool.page_count()), false);
  for (PageId page = pool.oldest_cached(); page != PagePool::kNone;
       page = pool.newer_cached(page)) {
    const NodeId node = tree_.holder(group, page);
    const NodeId parent = tree_.parent(node);
    if (!tree_.is_root(parent)) {
      const PageId above = tree_.page(parent, group);
      if (listed[static_cast<std::size_t>(above.value)]) {
        return fmt::format("page {} would be evicted after page {}, which its node {} needs",
                           page.value, above.value, node.value);
      }
    }
    listed[static_cast<std::size_t>(page.value)] = true;
  }
  return {};
}

}  // namespace cairn::cache
