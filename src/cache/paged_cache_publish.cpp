// PagedCache: computed pages enter the tree.

#include "base/check.h"
#include "cache/paged_cache.h"

namespace cairn::cache {

void PagedCache::publish_full_pages(Entry& entry, std::span<const TokenId> tokens) {
  const std::int32_t page_tokens = options_.page_tokens;
  while ((entry.published_count + 1) * page_tokens <= entry.computed_count) {
    const auto content = tokens.subspan(
        static_cast<std::size_t>(entry.published_count) * static_cast<std::size_t>(page_tokens),
        static_cast<std::size_t>(page_tokens));
    NodeId node = tree_.find_child(entry.path_end, content);
    if (node == kNoNode) node = add_node(entry.path_end, content);
    for (std::size_t group = 0; group < group_count(); ++group) adopt(entry, group, node);
    move_path_end(entry, node, entry.published_count + 1);
  }
}

/// The node gets the table's page, or the table the node's: equal content stands once.
void PagedCache::adopt(Entry& entry, std::size_t group, NodeId node) {
  PageTable& table = entry.tables[group];
  const std::int32_t index = entry.published_count;
  if (index < table.first_held()) return;
  const PageId own = table.at(index);
  // Somebody who shared its beginning may have left that as a shorter page.
  if (pools_[group].remembered(own)) take_from_tree(group, own);
  const PageId published = tree_.page(node, group);
  if (published == PageTable::kNoPage) {
    tree_.set_page(node, group, own);
    pools_[group].remember(own);
  } else {
    pools_[group].share(published);
    table.replace(index, published);
    pools_[group].release(own);
  }
}

void PagedCache::publish_partial_page(Entry& entry, std::span<const TokenId> tokens) {
  const std::int32_t length = entry.computed_count % options_.page_tokens;
  const std::int32_t index = entry.computed_count / options_.page_tokens;
  if (length == 0) return;
  CHECK(static_cast<std::size_t>(entry.computed_count) <= tokens.size() &&
            index == entry.published_count,
        "{} positions computed of {} tokens, {} pages published", entry.computed_count,
        tokens.size(), entry.published_count);
  // Not where it came from the tree and was not written on.
  for (std::size_t group = 0; group < group_count(); ++group) {
    if (pools_[group].remembered(entry.tables[group].at(index))) return;
  }
  const auto content = tokens.subspan(
      static_cast<std::size_t>(index) * static_cast<std::size_t>(options_.page_tokens),
      static_cast<std::size_t>(length));
  if (tree_.find_like(entry.path_end, content).token_count == length) return;
  const NodeId node = add_node(entry.path_end, content);
  for (std::size_t group = 0; group < group_count(); ++group) {
    const PageId page = entry.tables[group].at(index);
    tree_.set_page(node, group, page);
    pools_[group].remember(page);
  }
}

NodeId PagedCache::add_node(NodeId parent, std::span<const TokenId> tokens) {
  // A shorter page with the same tokens serves nobody new any more; who holds it keeps it.
  const NodeId shorter = tree_.find_shorter(parent, tokens);
  if (shorter != kNoNode) remove_node(shorter);
  if (tree_.node_count() == tree_.capacity()) evict_any();
  return tree_.add_child(parent, tokens);
}

void PagedCache::move_path_end(Entry& entry, NodeId node, std::int32_t published_count) {
  const NodeId before = entry.path_end;
  if (node != kNoNode) tree_.pin(node);
  entry.path_end = node;
  entry.published_count = published_count;
  if (before == kNoNode) return;
  tree_.unpin(before);
  remove_if_useless(before);
}

}  // namespace cairn::cache
