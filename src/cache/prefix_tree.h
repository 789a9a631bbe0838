#pragma once
// Which computed pages exist, found by their tokens: a radix tree with one page of tokens a node.
//
//     root of a salt -- [t0 .. t15] -- [t16 .. t31] -- [t32 .. t36]     a leaf with fewer tokens
//                            \-------- [t16'.. t31']                    siblings are linked
//
// A node holds a page for each group, or none where a window's page was given up (a hole). Trees of
// different salts share nothing. Children are found through one flat hash table; the tokens are
// compared, the hash is never trusted.
//
// The tree names pages; who owns them, and when a node goes, is the business of its user
// (paged_cache.h). Not thread-safe. Allocates in the constructor only (check_integrity() aside).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "cache/node_index.h"
#include "cache/page_table.h"

namespace cairn::cache {

class PrefixTree {
 public:
  PrefixTree(std::int32_t node_capacity, std::int32_t page_tokens,
             std::span<const std::int32_t> page_counts);

  /// Changes with every change of nodes or pages.
  std::uint64_t version() const { return version_; }
  std::int32_t node_count() const { return capacity() - static_cast<std::int32_t>(free_.size()); }
  std::int32_t capacity() const { return static_cast<std::int32_t>(nodes_.size()); }

  /// The root of a salt's tree, or kNoNode.
  NodeId find_root(std::uint64_t salt) const;
  /// The child with exactly these tokens, or kNoNode.
  NodeId find_child(NodeId parent, std::span<const TokenId> tokens) const;

  struct Likeness {
    NodeId node = kNoNode;
    std::int32_t token_count = 0;  // equal leading tokens
  };
  /// Of the first kScannedSiblings children without holes, the one that begins most like `tokens`.
  Likeness find_like(NodeId parent, std::span<const TokenId> tokens) const;
  /// Of those children, one with fewer tokens, all of them leading ones of `tokens`; or kNoNode.
  NodeId find_shorter(NodeId parent, std::span<const TokenId> tokens) const;

  /// REQUIRES: not there yet, node_count() < capacity().
  NodeId add_root(std::uint64_t salt);
  /// A node without pages. REQUIRES: as add_root(), 1 <= tokens.size() <= page_tokens.
  NodeId add_child(NodeId parent, std::span<const TokenId> tokens);
  /// REQUIRES: no children, no pins, no pages.
  void remove(NodeId node);

  /// PageTable::kNoPage: a hole.
  PageId page(NodeId node, std::size_t group) const;
  /// REQUIRES: a hole before, or `page` is none.
  void set_page(NodeId node, std::size_t group, PageId page);
  bool holds_pages(NodeId node) const;
  bool has_hole(NodeId node) const;
  /// The node that holds a page, or kNoNode.
  NodeId holder(std::size_t group, PageId page) const;

  /// A pinned node stays, with or without pages.
  void pin(NodeId node) { ++at(node).pin_count; }
  void unpin(NodeId node);
  std::int32_t pin_count(NodeId node) const { return at(node).pin_count; }

  NodeId parent(NodeId node) const { return at(node).parent; }
  bool is_used(NodeId node) const { return at(node).used; }
  bool is_root(NodeId node) const { return at(node).parent == kNoNode; }
  NodeId first_child(NodeId node) const { return at(node).first_child; }
  std::span<const TokenId> tokens(NodeId node) const;

  void clear();

  /// A sentence about the first fault, or empty.
  std::string check_integrity() const;

  /// More children than this are not looked through for a partly equal page.
  static constexpr std::int32_t kScannedSiblings = 64;

 private:
  struct Node {
    std::uint64_t hash = 0;
    std::uint64_t salt = 0;  // of a root
    NodeId parent = kNoNode;
    NodeId first_child = kNoNode;
    NodeId previous_sibling = kNoNode;
    NodeId next_sibling = kNoNode;
    std::int32_t token_count = 0;
    std::int32_t pin_count = 0;
    bool used = false;
  };

  Node& at(NodeId node);
  const Node& at(NodeId node) const;
  NodeId take(const Node& content);
  void unlink(const Node& node);
  std::string check_node(NodeId id, std::int32_t& children) const;
  std::string check_holders() const;
  std::size_t page_index(NodeId node, std::size_t group) const;

  std::int32_t page_tokens_;
  std::vector<Node> nodes_;
  std::vector<TokenId> tokens_;               // [nodes, page_tokens]
  std::vector<PageId> pages_;                 // [nodes, groups]
  std::vector<std::vector<NodeId>> holders_;  // by group, by page
  std::vector<NodeId> free_;
  NodeIndex index_;
  std::uint64_t version_ = 0;
};

}  // namespace cairn::cache
