#include "cache/prefix_tree.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <type_traits>

#include "base/check.h"

namespace cairn::cache {
namespace {

static_assert(std::has_unique_object_representations_v<TokenId>, "tokens are hashed as bytes");

std::uint64_t hash_of(NodeId parent, std::span<const TokenId> tokens) {
  return XXH3_64bits_withSeed(tokens.data(), tokens.size_bytes(),
                              static_cast<std::uint64_t>(parent.value));
}

std::uint64_t hash_of(std::uint64_t salt) {
  return XXH3_64bits(&salt, sizeof(salt));
}

std::int32_t common_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  const std::size_t length = std::min(a.size(), b.size());
  std::size_t count = 0;
  while (count < length && a[count] == b[count]) ++count;
  return static_cast<std::int32_t>(count);
}

}  // namespace

PrefixTree::PrefixTree(std::int32_t node_capacity, std::int32_t page_tokens,
                       std::span<const std::int32_t> page_counts)
    : page_tokens_(page_tokens),
      nodes_(static_cast<std::size_t>(node_capacity)),
      tokens_(nodes_.size() * static_cast<std::size_t>(page_tokens)),
      pages_(nodes_.size() * page_counts.size()),
      index_(node_capacity) {
  for (const std::int32_t count : page_counts) {
    holders_.emplace_back(static_cast<std::size_t>(count));
  }
  free_.reserve(nodes_.size());
  clear();
}

void PrefixTree::clear() {
  std::fill(nodes_.begin(), nodes_.end(), Node{});
  std::fill(pages_.begin(), pages_.end(), PageTable::kNoPage);
  for (auto& holders : holders_) std::fill(holders.begin(), holders.end(), kNoNode);
  index_.clear();
  free_.clear();
  for (std::int32_t node = capacity() - 1; node >= 0; --node) free_.emplace_back(node);
  ++version_;
}

PrefixTree::Node& PrefixTree::at(NodeId node) {
  CHECK(node.value >= 0 && node.value < capacity(), "node {} of {}", node.value, capacity());
  return nodes_[static_cast<std::size_t>(node.value)];
}

const PrefixTree::Node& PrefixTree::at(NodeId node) const {
  CHECK(node.value >= 0 && node.value < capacity(), "node {} of {}", node.value, capacity());
  return nodes_[static_cast<std::size_t>(node.value)];
}

std::span<const TokenId> PrefixTree::tokens(NodeId node) const {
  const auto first = static_cast<std::size_t>(node.value) * static_cast<std::size_t>(page_tokens_);
  return std::span(tokens_).subspan(first, static_cast<std::size_t>(at(node).token_count));
}

NodeId PrefixTree::find_root(std::uint64_t salt) const {
  return index_.find(hash_of(salt), [&](NodeId id) {
    const Node& node = at(id);
    return node.parent == kNoNode && node.salt == salt;
  });
}

NodeId PrefixTree::find_child(NodeId parent, std::span<const TokenId> tokens) const {
  return index_.find(hash_of(parent, tokens), [&](NodeId id) {
    const auto held = this->tokens(id);
    return at(id).parent == parent &&
           std::equal(held.begin(), held.end(), tokens.begin(), tokens.end());
  });
}

PrefixTree::Likeness PrefixTree::find_like(NodeId parent, std::span<const TokenId> tokens) const {
  Likeness best;
  NodeId child = at(parent).first_child;
  for (std::int32_t scanned = 0; child != kNoNode && scanned < kScannedSiblings; ++scanned) {
    const std::int32_t equal = common_length(this->tokens(child), tokens);
    if (equal > best.token_count && !has_hole(child)) best = {child, equal};
    child = at(child).next_sibling;
  }
  return best;
}

NodeId PrefixTree::find_shorter(NodeId parent, std::span<const TokenId> tokens) const {
  NodeId child = at(parent).first_child;
  for (std::int32_t scanned = 0; child != kNoNode && scanned < kScannedSiblings; ++scanned) {
    const auto held = this->tokens(child);
    if (held.size() < tokens.size() && std::equal(held.begin(), held.end(), tokens.begin())) break;
    child = at(child).next_sibling;
    if (scanned + 1 == kScannedSiblings) return kNoNode;
  }
  return child;
}

NodeId PrefixTree::take(const Node& content) {
  CHECK(!free_.empty(), "all {} nodes are in use", capacity());
  const NodeId id = free_.back();
  free_.pop_back();
  at(id) = content;
  at(id).used = true;
  index_.insert(content.hash, id);
  ++version_;
  return id;
}

NodeId PrefixTree::add_root(std::uint64_t salt) {
  Node node;
  node.hash = hash_of(salt);
  node.salt = salt;
  return take(node);
}

NodeId PrefixTree::add_child(NodeId parent, std::span<const TokenId> tokens) {
  const auto length = static_cast<std::int32_t>(tokens.size());
  CHECK(length >= 1 && length <= page_tokens_, "{} tokens", length);
  Node node;
  node.hash = hash_of(parent, tokens);
  node.parent = parent;
  node.token_count = length;
  node.next_sibling = at(parent).first_child;
  const NodeId id = take(node);
  if (node.next_sibling != kNoNode) at(node.next_sibling).previous_sibling = id;
  at(parent).first_child = id;
  const auto first = static_cast<std::ptrdiff_t>(id.value) * page_tokens_;
  std::copy(tokens.begin(), tokens.end(), tokens_.begin() + first);
  return id;
}

void PrefixTree::unlink(const Node& node) {
  if (node.next_sibling != kNoNode) at(node.next_sibling).previous_sibling = node.previous_sibling;
  if (node.previous_sibling != kNoNode) {
    at(node.previous_sibling).next_sibling = node.next_sibling;
  } else if (node.parent != kNoNode) {
    at(node.parent).first_child = node.next_sibling;
  }
}

void PrefixTree::remove(NodeId id) {
  Node& node = at(id);
  CHECK(node.used && node.first_child == kNoNode && node.pin_count == 0 && !holds_pages(id),
        "node {}: used {}, first child {}, {} pins", id.value, node.used, node.first_child.value,
        node.pin_count);
  unlink(node);
  index_.erase(node.hash, id);
  node = Node{};
  free_.push_back(id);
  ++version_;
}

std::size_t PrefixTree::page_index(NodeId node, std::size_t group) const {
  return static_cast<std::size_t>(node.value) * holders_.size() + group;
}

PageId PrefixTree::page(NodeId node, std::size_t group) const {
  return pages_[page_index(node, group)];
}

void PrefixTree::set_page(NodeId node, std::size_t group, PageId page) {
  PageId& entry = pages_[page_index(node, group)];
  if (page == PageTable::kNoPage) {
    if (entry == PageTable::kNoPage) return;
    holders_[group][static_cast<std::size_t>(entry.value)] = kNoNode;
  } else {
    NodeId& holder = holders_[group][static_cast<std::size_t>(page.value)];
    CHECK(entry == PageTable::kNoPage && holder == kNoNode,
          "group {}: node {} holds page {}, node {} holds page {}", group, node.value, entry.value,
          holder.value, page.value);
    holder = node;
  }
  entry = page;
  ++version_;
}

NodeId PrefixTree::holder(std::size_t group, PageId page) const {
  return holders_[group][static_cast<std::size_t>(page.value)];
}

bool PrefixTree::holds_pages(NodeId node) const {
  for (std::size_t group = 0; group < holders_.size(); ++group) {
    if (page(node, group) != PageTable::kNoPage) return true;
  }
  return false;
}

bool PrefixTree::has_hole(NodeId node) const {
  for (std::size_t group = 0; group < holders_.size(); ++group) {
    if (page(node, group) == PageTable::kNoPage) return true;
  }
  return false;
}

void PrefixTree::unpin(NodeId node) {
  CHECK(at(node).pin_count > 0, "node {} is not pinned", node.value);
  --at(node).pin_count;
}

}  // namespace cairn::cache
