// PagedCache: what of a prompt is already computed, and how a table begins with it.

#include <algorithm>

#include "cache/page_demand.h"
#include "cache/paged_cache.h"

namespace cairn::cache {

std::int32_t PagedCache::match_prefix(std::span<const TokenId> tokens, std::uint64_t salt) const {
  const Match match = find_match(tokens, salt);
  return match.page_count * options_.page_tokens + match.partial_tokens;
}

PagedCache::Match PagedCache::find_match(std::span<const TokenId> tokens,
                                         std::uint64_t salt) const {
  Match best;
  if (!options_.share_prefixes || tokens.empty()) return best;
  NodeId node = tree_.find_root(salt);
  best.path_end = node;
  if (node == kNoNode) return best;
  const auto page_tokens = static_cast<std::size_t>(options_.page_tokens);
  const std::size_t limit = tokens.size() - 1;
  std::fill(last_holes_.begin(), last_holes_.end(), -1);
  std::int32_t walked = 0;
  std::size_t position = 0;
  for (; position + page_tokens <= limit; position += page_tokens) {
    const NodeId child = tree_.find_child(node, tokens.subspan(position, page_tokens));
    if (child == kNoNode) break;
    for (std::size_t group = 0; group < group_count(); ++group) {
      if (tree_.page(child, group) == PageTable::kNoPage) last_holes_[group] = walked;
    }
    node = child;
    ++walked;
    if (windows_are_whole(walked * options_.page_tokens)) best = {node, walked, kNoNode, 0};
  }
  // One page more, in part.
  const auto rest = tokens.subspan(position, std::min(page_tokens, limit - position));
  PrefixTree::Likeness like;
  if (tokens.size() - position == page_tokens) {
    like.node = tree_.find_child(node, tokens.subspan(position));
    like.token_count = static_cast<std::int32_t>(rest.size());
  }
  if (like.node == kNoNode || tree_.has_hole(like.node)) like = tree_.find_like(node, rest);
  if (like.token_count > 0 && windows_are_whole(walked * options_.page_tokens + like.token_count)) {
    best = {node, walked, like.node, like.token_count};
  }
  return best;
}

/// Whether the query at `token_count` finds what it reads, given last_holes_ below.
bool PagedCache::windows_are_whole(std::int32_t token_count) const {
  for (std::size_t group = 0; group < group_count(); ++group) {
    if (first_page(group, token_count) <= last_holes_[group]) return false;
  }
  return true;
}

void PagedCache::take_over(Entry& entry, const Match& match) {
  entry.computed_count = match.page_count * options_.page_tokens + match.partial_tokens;
  const std::int32_t size = match.page_count + (match.partial == kNoNode ? 0 : 1);
  for (std::size_t group = 0; group < group_count(); ++group) {
    entry.tables[group].start(first_page(group, entry.computed_count), size);
  }
  NodeId node = match.partial == kNoNode ? match.path_end : match.partial;
  for (std::int32_t index = size - 1; index >= 0; --index, node = tree_.parent(node)) {
    for (std::size_t group = 0; group < group_count(); ++group) {
      PageTable& table = entry.tables[group];
      if (index < table.first_held()) continue;
      const PageId page = tree_.page(node, group);
      pools_[group].share(page);
      table.replace(index, page);
    }
  }
  move_path_end(entry, match.path_end, match.page_count);
}

}  // namespace cairn::cache
