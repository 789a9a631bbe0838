#include "cache/node_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace cairn::cache {
namespace {

NodeId find(const NodeIndex& index, std::uint64_t hash, NodeId node) {
  return index.find(hash, [&](NodeId other) { return other == node; });
}

TEST(NodeIndex, EqualHashesAreToldApartByTheCaller) {
  NodeIndex index(4);
  index.insert(7, NodeId(1));
  index.insert(7, NodeId(2));
  EXPECT_EQ(find(index, 7, NodeId(1)), NodeId(1));
  EXPECT_EQ(find(index, 7, NodeId(2)), NodeId(2));
  EXPECT_EQ(find(index, 7, NodeId(3)), kNoNode);
  index.erase(7, NodeId(1));
  EXPECT_EQ(find(index, 7, NodeId(1)), kNoNode);
  EXPECT_EQ(find(index, 7, NodeId(2)), NodeId(2));
}

TEST(NodeIndex, RandomUseAgreesWithAMap) {
  std::mt19937 random(3);
  NodeIndex index(32);
  std::map<std::int32_t, std::uint64_t> expected;
  for (int round = 0; round < 20'000; ++round) {
    const NodeId node(static_cast<std::int32_t>(random() % 32));
    const auto held = expected.find(node.value);
    if (held != expected.end()) {
      index.erase(held->second, node);
      expected.erase(held);
    } else {
      const std::uint64_t hash = random() % 12;  // neighbours and equal ones are frequent
      index.insert(hash, node);
      expected[node.value] = hash;
    }
    ASSERT_EQ(index.size(), static_cast<std::int32_t>(expected.size()));
    for (const auto& [value, hash] : expected) {
      ASSERT_EQ(find(index, hash, NodeId(value)), NodeId(value)) << "round " << round;
    }
  }
}

TEST(NodeIndexDeathTest, ErasingWhatIsNotThereIsABug) {
  NodeIndex index(4);
  EXPECT_DEATH(index.erase(1, NodeId(0)), "not in the index");
}

}  // namespace
}  // namespace cairn::cache
