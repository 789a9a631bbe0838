#include "cache/page_pool.h"

#include <gtest/gtest.h>

#include <random>

namespace cairn::cache {
namespace {

TEST(PagePool, CountsFollowEveryState) {
  PagePool pool(3);
  const PageId page = pool.take().value();
  EXPECT_EQ(pool.owned_count(), 1);
  pool.remember(page);
  pool.share(page);
  pool.release(page);
  EXPECT_EQ(pool.owned_count(), 1) << "one reference is left";
  pool.release(page);
  EXPECT_EQ(pool.cached_count(), 1);
  EXPECT_EQ(pool.free_count(), 2);
  pool.share(page);
  EXPECT_EQ(pool.owned_count(), 1) << "a cached page can be owned again";
  pool.forget(page);
  pool.release(page);
  EXPECT_EQ(pool.free_count(), 3);
  EXPECT_EQ(pool.check_integrity(), "");
}

TEST(PagePool, CachedPagesStandInTheOrderInWhichTheyCame) {
  PagePool pool(4);
  std::vector<PageId> pages;
  while (const auto page = pool.take()) {
    pool.remember(*page);
    pages.push_back(*page);
  }
  EXPECT_EQ(pool.oldest_cached(), PagePool::kNone);
  for (const std::size_t index : {2u, 0u, 3u, 1u}) pool.release(pages[index]);
  pool.share(pages[0]);
  pool.forget(pages[3]);
  EXPECT_EQ(pool.oldest_cached(), pages[2]);
  EXPECT_EQ(pool.newer_cached(pages[2]), pages[1]);
  EXPECT_EQ(pool.newer_cached(pages[1]), PagePool::kNone);
  pool.release(pages[0]);
  EXPECT_EQ(pool.newer_cached(pages[1]), pages[0]) << "used again: the newest";
  EXPECT_EQ(pool.check_integrity(), "");
  pool.clear();
  EXPECT_EQ(pool.free_count(), 4);
  EXPECT_EQ(pool.check_integrity(), "");
}

TEST(PagePool, EveryPageIsTakenOnce) {
  PagePool pool(5);
  std::vector<bool> taken(5, false);
  while (const auto page = pool.take()) {
    EXPECT_FALSE(taken[static_cast<std::size_t>(page->value)]);
    taken[static_cast<std::size_t>(page->value)] = true;
  }
  EXPECT_EQ(pool.owned_count(), 5);
  EXPECT_EQ(pool.check_integrity(), "");
}

TEST(PagePoolDeathTest, MisuseIsABug) {
  PagePool pool(2);
  EXPECT_DEATH(pool.release(PageId(0)), "no owner");
  EXPECT_DEATH(pool.share(PageId(1)), "is free");
  EXPECT_DEATH(pool.forget(PageId(1)), "not remembered");
  EXPECT_DEATH(pool.reference_count(PageId(7)), "page 7 of 2");
}

TEST(PagePool, RandomUseKeepsItsIntegrity) {
  std::mt19937 random(1);
  PagePool pool(40);
  std::vector<PageId> references;
  std::vector<PageId> remembered;
  for (int round = 0; round < 20'000; ++round) {
    const auto pick = [&](std::vector<PageId>& from) {
      std::swap(from[random() % from.size()], from.back());
      const PageId page = from.back();
      from.pop_back();
      return page;
    };
    switch (random() % 5) {
      case 0:
      case 1:
        if (const auto page = pool.take()) references.push_back(*page);
        break;
      case 2:
        if (!references.empty()) pool.release(pick(references));
        break;
      case 3:
        if (!references.empty() && !pool.remembered(references.back())) {
          pool.remember(references.back());
          remembered.push_back(references.back());
        }
        break;
      default:
        if (!remembered.empty()) pool.forget(pick(remembered));
        break;
    }
    ASSERT_EQ(pool.check_integrity(), "") << "round " << round;
    ASSERT_EQ(pool.free_count() + pool.owned_count() + pool.cached_count(), pool.page_count());
  }
}

}  // namespace
}  // namespace cairn::cache
