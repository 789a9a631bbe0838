// PrefixTree::check_integrity(): what must hold between any two calls.

#include <fmt/format.h>

#include "cache/prefix_tree.h"

namespace cairn::cache {

std::string PrefixTree::check_integrity() const {
  std::int32_t used = 0;
  std::int32_t children = 0;
  std::int32_t roots = 0;
  for (std::int32_t index = 0; index < capacity(); ++index) {
    const Node& node = at(NodeId(index));
    if (!node.used) continue;
    ++used;
    roots += node.parent == kNoNode ? 1 : 0;
    const std::string fault = check_node(NodeId(index), children);
    if (!fault.empty()) return fmt::format("node {}: {}", index, fault);
  }
  if (used != node_count() || used != index_.size() || used != children + roots) {
    return fmt::format("{} nodes are used, {} counted, {} in the index, {} children and {} roots",
                       used, node_count(), index_.size(), children, roots);
  }
  return check_holders();
}

/// Adds the node's children to `children`.
std::string PrefixTree::check_node(NodeId id, std::int32_t& children) const {
  const Node& node = at(id);
  if (node.parent != kNoNode) {
    if (!at(node.parent).used) return fmt::format("its parent {} is gone", node.parent.value);
    if (node.token_count < page_tokens_ && node.first_child != kNoNode) {
      return fmt::format("{} tokens and children", node.token_count);
    }
  }
  const bool found = index_.find(node.hash, [&](NodeId other) { return other == id; }) == id;
  if (!found) return "not in the index";
  NodeId before = kNoNode;
  for (NodeId child = node.first_child; child != kNoNode; child = at(child).next_sibling) {
    const Node& linked = at(child);
    if (!linked.used || linked.parent != id || linked.previous_sibling != before ||
        ++children > capacity()) {
      return fmt::format("child {}: used {}, parent {}, after {} instead of {}", child.value,
                         linked.used, linked.parent.value, before.value,
                         linked.previous_sibling.value);
    }
    before = child;
  }
  for (std::size_t group = 0; group < holders_.size(); ++group) {
    const PageId held = page(id, group);
    if (held == PageTable::kNoPage) continue;
    if (node.parent == kNoNode) return fmt::format("a root holds page {}", held.value);
    if (holder(group, held) != id) {
      return fmt::format("group {}: page {} is held by node {}", group, held.value,
                         holder(group, held).value);
    }
  }
  return {};
}

std::string PrefixTree::check_holders() const {
  for (std::size_t group = 0; group < holders_.size(); ++group) {
    for (std::size_t index = 0; index < holders_[group].size(); ++index) {
      const NodeId node = holders_[group][index];
      if (node == kNoNode) continue;
      if (!at(node).used || page(node, group).value != static_cast<std::int32_t>(index)) {
        return fmt::format("group {}: page {} is held by node {}, which has page {}", group, index,
                           node.value, page(node, group).value);
      }
    }
  }
  return {};
}

}  // namespace cairn::cache
