#include "cache/prefix_tree.h"

#include <gtest/gtest.h>

namespace cairn::cache {
namespace {

std::vector<TokenId> tokens(std::initializer_list<int> values) {
  std::vector<TokenId> result;
  for (const int value : values) result.emplace_back(value);
  return result;
}

class PrefixTreeTest : public testing::Test {
 protected:
  NodeId add(NodeId parent, std::initializer_list<int> values, std::int32_t page) {
    const NodeId node = tree_.add_child(parent, tokens(values));
    tree_.set_page(node, 0, PageId(page));
    return node;
  }

  const std::vector<std::int32_t> page_counts_{8};
  PrefixTree tree_{8, 4, page_counts_};
};

TEST_F(PrefixTreeTest, ChildrenAreFoundByAllTheirTokens) {
  EXPECT_EQ(tree_.find_root(5), kNoNode);
  const NodeId root = tree_.add_root(5);
  EXPECT_EQ(tree_.find_root(5), root);
  EXPECT_EQ(tree_.find_root(6), kNoNode);
  const NodeId first = add(root, {1, 2, 3, 4}, 0);
  const NodeId second = add(first, {1, 2, 3, 4}, 1);
  EXPECT_EQ(tree_.find_child(root, tokens({1, 2, 3, 4})), first);
  EXPECT_EQ(tree_.find_child(first, tokens({1, 2, 3, 4})), second) << "by parent too";
  EXPECT_EQ(tree_.find_child(root, tokens({1, 2, 3})), kNoNode);
  EXPECT_EQ(tree_.find_child(second, tokens({1, 2, 3, 4})), kNoNode);
  EXPECT_EQ(tree_.check_integrity(), "");
}

TEST_F(PrefixTreeTest, SaltsShareNothing) {
  const NodeId one = tree_.add_root(1);
  const NodeId two = tree_.add_root(2);
  add(one, {1, 2, 3, 4}, 0);
  EXPECT_EQ(tree_.find_child(two, tokens({1, 2, 3, 4})), kNoNode);
  EXPECT_EQ(tree_.find_like(two, tokens({1, 2})).node, kNoNode);
}

TEST_F(PrefixTreeTest, TheChildMostAlikeIsFound) {
  const NodeId root = tree_.add_root(0);
  add(root, {1, 2, 9, 9}, 0);
  const NodeId best = add(root, {1, 2, 3, 9}, 1);
  add(root, {7, 2, 3, 4}, 2);
  const auto like = tree_.find_like(root, tokens({1, 2, 3, 4}));
  EXPECT_EQ(like.node, best);
  EXPECT_EQ(like.token_count, 3);
  tree_.set_page(best, 0, PageTable::kNoPage);
  EXPECT_EQ(tree_.find_like(root, tokens({1, 2, 3, 4})).token_count, 2) << "one with a hole is not";
  EXPECT_EQ(tree_.find_like(root, tokens({5})).node, kNoNode);
}

TEST_F(PrefixTreeTest, AShorterPageWithTheSameTokensIsFound) {
  const NodeId root = tree_.add_root(0);
  add(root, {1, 3}, 0);
  const NodeId shorter = add(root, {1, 2}, 1);
  add(root, {1, 2, 3, 4}, 2);
  EXPECT_EQ(tree_.find_shorter(root, tokens({1, 2, 3, 4})), shorter);
  EXPECT_EQ(tree_.find_shorter(root, tokens({1, 2})), kNoNode);
}

TEST_F(PrefixTreeTest, SiblingsStayLinkedWhenOneGoes) {
  const NodeId root = tree_.add_root(0);
  std::vector<NodeId> children;
  for (const int first : {1, 2, 3}) children.push_back(add(root, {first}, first));
  for (const NodeId gone : {children[1], children[2], children[0]}) {
    tree_.set_page(gone, 0, PageTable::kNoPage);
    tree_.remove(gone);
    EXPECT_EQ(tree_.check_integrity(), "");
  }
  EXPECT_EQ(tree_.first_child(root), kNoNode);
  tree_.remove(root);
  EXPECT_EQ(tree_.node_count(), 0);
}

TEST_F(PrefixTreeTest, TheVersionFollowsEveryChange) {
  std::uint64_t version = tree_.version();
  const auto changed = [&] { return std::exchange(version, tree_.version()) != version; };
  const NodeId root = tree_.add_root(0);
  EXPECT_TRUE(changed());
  const NodeId node = tree_.add_child(root, tokens({1}));
  EXPECT_TRUE(changed());
  tree_.set_page(node, 0, PageId(3));
  EXPECT_TRUE(changed());
  tree_.pin(node);
  tree_.unpin(node);
  EXPECT_FALSE(changed()) << "a pin changes no match";
  tree_.set_page(node, 0, PageTable::kNoPage);
  EXPECT_TRUE(changed());
  tree_.remove(node);
  EXPECT_TRUE(changed());
}

using PrefixTreeDeathTest = PrefixTreeTest;

TEST_F(PrefixTreeDeathTest, MisuseIsABug) {
  const NodeId root = tree_.add_root(0);
  const NodeId node = add(root, {1}, 2);
  EXPECT_DEATH(tree_.remove(root), "first child");
  EXPECT_DEATH(tree_.remove(node), "node 1");
  EXPECT_DEATH(tree_.unpin(node), "not pinned");
  EXPECT_DEATH(add(root, {2}, 2), "holds page 2");
}

}  // namespace
}  // namespace cairn::cache
