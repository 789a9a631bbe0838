#include "text/merge_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace cairn::text {
namespace {

// Against a sorted set, with long pieces (runs) and short ones (heap only), ascending and random.
TEST(MergeQueue, GivesTheLowestRankThenTheLeftmost) {
  std::mt19937 random(43);
  MergeQueue queue;
  for (const std::size_t symbols : {std::size_t{10}, std::size_t{100'000}}) {
    for (const std::uint32_t ranks : {1U, 3U, 1000U}) {
      queue.start(symbols);
      std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected;
      std::uint32_t left = 0;
      for (int step = 0; step < 20'000; ++step) {
        if (random() % 5 < 3) {
          left = ranks == 1000 ? random() % 1'000'000 : left + random() % 3;
          const std::uint32_t rank = random() % ranks;
          queue.push(rank, left);
          expected.emplace(rank, left);
          continue;
        }
        const auto pair = queue.pop();
        ASSERT_EQ(pair.has_value(), !expected.empty());
        if (!pair) continue;
        ASSERT_EQ(std::pair(pair->rank, pair->left), *expected.begin());
        expected.erase(expected.begin());
      }
      for (const auto& [rank, at] : expected) {
        const auto pair = queue.pop();
        ASSERT_TRUE(pair);
        ASSERT_EQ(std::pair(pair->rank, pair->left), std::pair(rank, at));
      }
      EXPECT_FALSE(queue.pop());
    }
  }
}

TEST(MergeQueue, StartForgetsTheOldPiece) {
  MergeQueue queue;
  queue.start(10'000);
  queue.push(1, 1);
  queue.push(0, 5);
  queue.start(10);
  EXPECT_FALSE(queue.pop());
}

}  // namespace
}  // namespace cairn::text
