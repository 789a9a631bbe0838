#include "cache/paged_cache.h"

#include <gtest/gtest.h>

#include <numeric>

#include "cache/page_demand.h"

namespace cairn::cache {
namespace {

constexpr PagedState kFull{2, 8, 8, 0};
constexpr PagedState kWindow{2, 8, 8, 20};

std::vector<TokenId> count_up(int count, int start = 0) {
  std::vector<TokenId> tokens;
  tokens.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) tokens.emplace_back(start + i);
  return tokens;
}

PagedCache make(const std::vector<StateSpec>& states, std::vector<std::int32_t> pages,
                bool share_prefixes = true) {
  PagedCacheOptions options;
  options.page_counts = std::move(pages);
  options.max_sequences = 4;
  options.sequence_tokens = 256;
  options.chunk_tokens = 32;
  options.share_prefixes = share_prefixes;
  return PagedCache(group_layers(states), options);
}

/// Computes positions up to `end`; returns the copies that this took.
std::vector<PageCopy> compute(PagedCache& cache, TableId table, std::span<const TokenId> tokens,
                              std::int32_t end) {
  std::vector<PageCopy> copies;
  while (cache.computed_count(table) < end) {
    const std::int32_t next = std::min(end, cache.computed_count(table) + 32);
    EXPECT_TRUE(cache.extend(table, next, copies)) << "to " << next;
    EXPECT_EQ(cache.check_integrity(), "");
    cache.advance(table, tokens, next);
    EXPECT_EQ(cache.check_integrity(), "");
  }
  return copies;
}

/// Opens, computes all and closes.
void leave(PagedCache& cache, std::span<const TokenId> tokens, std::uint64_t salt = 0) {
  const TableId table = cache.open(tokens, salt).value();
  compute(cache, table, tokens, static_cast<std::int32_t>(tokens.size()));
  cache.close(table, tokens, true);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PageGroups, LayersOfOneKindShareATable) {
  const std::vector<StateSpec> states{kFull, kWindow, std::monostate{}, kFull, kWindow};
  const auto groups = group_layers(states);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].layers, (std::vector{LayerIndex(0), LayerIndex(3)}));
  EXPECT_EQ(groups[1].layers, (std::vector{LayerIndex(1), LayerIndex(4)}));
}

TEST(PageDemand, NeededPagesOfAWindowAreBounded) {
  EXPECT_EQ(pages_needed(kFull, 33, 16, 32), 3);
  // 20 older positions and 32 new ones, anywhere: 52 positions touch at most 5 pages.
  EXPECT_EQ(pages_needed(kWindow, 1000, 16, 32), 5);
  EXPECT_EQ(pages_needed(kWindow, 40, 16, 32), 3);
}

TEST(PagedCache, FitsAsksForTheEmptyPool) {
  const PagedCache cache = make({kFull, kWindow}, {10, 5});
  EXPECT_TRUE(cache.fits(160));
  EXPECT_FALSE(cache.fits(161));
}

TEST(PagedCache, AWindowedGroupGivesUpWhatLeftTheWindow) {
  PagedCache cache = make({kFull, kWindow}, {16, 5}, false);
  const auto prompt = count_up(256);
  const TableId table = cache.open(prompt, 0).value();
  for (std::int32_t end = 32; end <= 256; end += 32) {
    compute(cache, table, prompt, end);
    // The query at `end` - 1, which may be computed again, sees positions from end - 20 on.
    const std::int32_t first_page = std::max(0, end - 20) / 16;
    const auto pages = cache.pages(table, 1);
    EXPECT_EQ(cache.pool(1).owned_count(), end / 16 - first_page);
    for (std::int32_t page = 0; page < end / 16; ++page) {
      EXPECT_EQ(pages[static_cast<std::size_t>(page)].value < 0, page < first_page);
    }
    EXPECT_EQ(cache.pages(table, 0).size(), static_cast<std::size_t>(end / 16));
  }
  cache.close(table, prompt, true);
  EXPECT_EQ(cache.free_pages(), 21) << "nothing is kept without a tree";
}

TEST(PagedCache, RunningSequencesShareWhatIsComputed) {
  PagedCache cache = make({kFull}, {16});
  const auto tokens = count_up(60);
  const TableId first = cache.open(tokens, 0).value();
  compute(cache, first, tokens, 40);
  EXPECT_EQ(cache.match_prefix(tokens, 0), 32) << "full pages, while they are in use";
  const TableId second = cache.open(tokens, 0).value();
  EXPECT_EQ(cache.computed_count(second), 32);
  EXPECT_EQ(cache.pool(0).owned_count(), 3);
  EXPECT_EQ(cache.pages(second, 0)[1], cache.pages(first, 0)[1]);
  EXPECT_TRUE(compute(cache, second, tokens, 60).empty()) << "a page border needs no copy";
  cache.close(first, tokens, false);
  cache.close(second, tokens, false);
  EXPECT_EQ(cache.cached_pages(), 3) << "published pages stay, the fourth was not full";
  EXPECT_EQ(cache.free_pages(), 13);
}

TEST(PagedCache, OneTokenIsAlwaysComputed) {
  PagedCache cache = make({kFull}, {16});
  const auto tokens = count_up(48);
  leave(cache, tokens);
  EXPECT_EQ(cache.match_prefix(tokens, 0), 47);
  EXPECT_EQ(cache.match_prefix(count_up(49), 0), 48);
  EXPECT_EQ(cache.match_prefix(count_up(1), 0), 0);
  EXPECT_EQ(cache.match_prefix({}, 0), 0);
  const TableId table = cache.open(tokens, 0).value();
  const auto copies = compute(cache, table, tokens, 48);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].token_count, 15);
  EXPECT_EQ(cache.pool(0).owned_count(), 3);
  EXPECT_EQ(cache.cached_pages(), 0) << "the copy became equal to its source: one page is left";
}

TEST(PagedCache, SaltsShareNothing) {
  PagedCache cache = make({kFull}, {16});
  leave(cache, count_up(50), 7);
  EXPECT_EQ(cache.match_prefix(count_up(51), 7), 50);
  EXPECT_EQ(cache.match_prefix(count_up(51), 8), 0);
  leave(cache, count_up(50), 8);
  EXPECT_EQ(cache.cached_pages(), 8);
}

TEST(PagedCache, EqualPagesOfTwoSequencesBecomeOne) {
  PagedCache cache = make({kFull, kWindow}, {16, 16});
  const auto tokens = count_up(40);
  const TableId first = cache.open(tokens, 0).value();
  const TableId second = cache.open(tokens, 0).value();
  compute(cache, first, tokens, 32);
  EXPECT_EQ(cache.pool(0).owned_count(), 2);
  compute(cache, second, tokens, 40);
  EXPECT_EQ(cache.pool(0).owned_count(), 3) << "two are shared";
  EXPECT_EQ(cache.pages(first, 0)[0], cache.pages(second, 0)[0]);
  EXPECT_EQ(cache.pages(first, 1)[1], cache.pages(second, 1)[1]);
  EXPECT_EQ(cache.pool(0).reference_count(cache.pages(first, 0)[1]), 2);
}

TEST(PagedCache, APartlyEqualPageIsReusedByCopy) {
  PagedCache cache = make({kFull}, {16});
  auto tokens = count_up(100);
  leave(cache, tokens);
  tokens[40] = TokenId(9999);
  EXPECT_EQ(cache.match_prefix(tokens, 0), 40);
  const TableId table = cache.open(tokens, 0).value();
  const PageId source = cache.pages(table, 0)[2];
  std::vector<PageCopy> copies;
  ASSERT_TRUE(cache.extend(table, 60, copies));
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].from, source);
  EXPECT_EQ(copies[0].to, cache.pages(table, 0)[2]);
  EXPECT_EQ(copies[0].token_count, 8);
  EXPECT_NE(copies[0].to, source);
  cache.advance(table, tokens, 60);
  EXPECT_EQ(cache.match_prefix(count_up(101), 0), 100) << "the source is as it was";
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, AConversationGoesOnAndLeavesNoShorterPages) {
  PagedCache cache = make({kFull, kWindow}, {16, 16});
  for (const int length : {35, 42, 70, 75}) {
    const auto tokens = count_up(length);
    leave(cache, tokens);
    EXPECT_EQ(cache.match_prefix(count_up(length + 1), 0), length);
    EXPECT_EQ(cache.pool(0).cached_count(), pages_to_hold(length, 16));
  }
}

TEST(PagedCache, AHitHoldsWhatTheWindowReads) {
  PagedCache cache = make({kFull, kWindow}, {16, 5});
  const auto tokens = count_up(160);
  const TableId table = cache.open(tokens, 0).value();
  compute(cache, table, tokens, 160);
  // Of the window's 5 pages, those of positions [80, 160) are left: a hit at e reads e - 19 on.
  EXPECT_EQ(cache.match_prefix(tokens, 0), 159);
  EXPECT_EQ(cache.match_prefix(std::span(tokens).first(113), 0), 112);
  EXPECT_EQ(cache.match_prefix(std::span(tokens).first(98), 0), 0) << "reads position 78";
  EXPECT_EQ(cache.match_prefix(std::span(tokens).first(100), 0), 99) << "reads position 80";
  const TableId second = cache.open(std::span(tokens).first(113), 0).value();
  EXPECT_EQ(cache.pages(second, 1)[4], PageTable::kNoPage);
  EXPECT_NE(cache.pages(second, 1)[5], PageTable::kNoPage) << "position 93 stands there";
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, TheLeafUnusedLongestIsEvictedFirst) {
  PagedCache cache = make({kFull}, {10});
  for (const int start : {0, 1000, 2000}) leave(cache, count_up(48, start));
  EXPECT_EQ(cache.cached_pages(), 9);
  leave(cache, count_up(49));  // used again: the second is oldest now
  const auto tokens = count_up(20, 3000);
  const TableId table = cache.open(tokens, 0).value();
  EXPECT_EQ(cache.available(0), 10);
  compute(cache, table, tokens, 20);
  EXPECT_EQ(cache.match_prefix(count_up(49, 1000), 0), 16) << "its two last pages went";
  EXPECT_EQ(cache.match_prefix(count_up(49), 0), 48);
  EXPECT_EQ(cache.match_prefix(count_up(49, 2000), 0), 48);
  cache.close(table, {}, false);
  cache.drop_cached();
  EXPECT_EQ(cache.free_pages(), 10);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, WhatIsInUseIsNeverEvicted) {
  PagedCache cache = make({kFull}, {6});
  const auto tokens = count_up(50);
  leave(cache, tokens);
  const TableId user = cache.open(tokens, 0).value();
  const auto other = count_up(64, 500);
  const TableId table = cache.open(other, 0).value();
  std::vector<PageCopy> copies;
  EXPECT_EQ(cache.available(0), 2);
  EXPECT_FALSE(cache.extend(table, 33, copies));
  EXPECT_TRUE(cache.pages(table, 0).empty()) << "nothing has changed";
  EXPECT_TRUE(cache.extend(table, 32, copies));
  EXPECT_EQ(cache.computed_count(user), 49);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, AloneASequenceAlwaysGoesOn) {
  // The last page of the hit is taken from the tree where no page is left to copy it to.
  PagedCache cache = make({kFull, kWindow}, {4, 4});
  const auto tokens = count_up(64);
  leave(cache, tokens);
  const TableId table = cache.open(tokens, 0).value();
  EXPECT_EQ(cache.computed_count(table), 63);
  EXPECT_EQ(cache.available(0), 0);
  EXPECT_EQ(cache.pages_to_extend(table, 64, 0), 0);
  EXPECT_TRUE(compute(cache, table, tokens, 64).empty());
  EXPECT_EQ(cache.pool(0).owned_count(), 4);
}

TEST(PagedCache, ForksShareUntilOneWrites) {
  PagedCache cache = make({kFull, kWindow}, {16, 16}, false);
  const auto tokens = count_up(60);
  const TableId first = cache.open(tokens, 0).value();
  compute(cache, first, tokens, 40);
  const TableId second = cache.fork(first, 40).value();
  const TableId third = cache.fork(first, 39).value();
  EXPECT_EQ(cache.pool(0).owned_count(), 3);
  EXPECT_EQ(cache.pages_to_extend(second, 41, 0), 1);
  EXPECT_EQ(cache.pages_freed_by_closing(first, 0), 0);
  EXPECT_EQ(compute(cache, second, tokens, 45).size(), 2u) << "a copy a group";
  EXPECT_EQ(compute(cache, third, tokens, 45).size(), 2u);
  EXPECT_EQ(compute(cache, first, tokens, 45).size(), 0u) << "the last one writes in place";
  EXPECT_EQ(cache.pool(0).owned_count(), 5);
  EXPECT_EQ(cache.pages_freed_by_closing(first, 0), 1);
  for (const TableId table : {first, second, third}) cache.close(table, {}, false);
  EXPECT_EQ(cache.owned_pages(), 0);
}

TEST(PagedCache, AForksEndMayBeAShorterPageOfOneThatRuns) {
  PagedCache cache = make({kFull}, {16});
  const auto tokens = count_up(60);
  const TableId first = cache.open(tokens, 0).value();
  compute(cache, first, tokens, 20);
  std::vector<PageCopy> copies;
  ASSERT_TRUE(cache.extend(first, 32, copies));
  const TableId second = cache.fork(first, 20).value();
  cache.close(second, tokens, true);
  EXPECT_EQ(cache.match_prefix(tokens, 0), 20);
  cache.advance(first, tokens, 32);
  EXPECT_EQ(cache.match_prefix(tokens, 0), 32);
  EXPECT_EQ(cache.pool(0).owned_count(), 2);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, TruncatingGivesPagesBackAndNeverWritesOnPublishedOnes) {
  PagedCache cache = make({kFull}, {16});
  auto tokens = count_up(60);
  const TableId table = cache.open(tokens, 0).value();
  compute(cache, table, tokens, 60);
  std::vector<PageCopy> copies;
  ASSERT_TRUE(cache.extend(table, 90, copies));
  cache.truncate(table, 64);
  EXPECT_EQ(cache.pages(table, 0).size(), 4u);
  EXPECT_EQ(cache.computed_count(table), 60);
  cache.truncate(table, 40);
  EXPECT_EQ(cache.computed_count(table), 40);
  EXPECT_EQ(cache.check_integrity(), "");
  tokens[45] = TokenId(9999);
  EXPECT_EQ(compute(cache, table, tokens, 60).size(), 1u) << "the third page was published";
  EXPECT_EQ(cache.match_prefix(count_up(49), 0), 48);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCache, TablesAreLimitedAndResetForgetsThemAll) {
  PagedCache cache = make({kFull}, {16});
  const auto tokens = count_up(20);
  for (int count = 0; count < 4; ++count) ASSERT_TRUE(cache.open(tokens, 0).has_value());
  EXPECT_FALSE(cache.open(tokens, 0).has_value());
  EXPECT_FALSE(cache.fork(TableId(0), 0).has_value());
  compute(cache, TableId(2), tokens, 20);
  const std::uint64_t version = cache.version();
  cache.reset();
  EXPECT_NE(cache.version(), version);
  EXPECT_EQ(cache.open_count(), 0);
  EXPECT_EQ(cache.free_pages(), 16);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(PagedCacheDeathTest, AClosedTableIsNotUsed) {
  PagedCache cache = make({kFull}, {16});
  const TableId table = cache.open(count_up(20), 0).value();
  cache.close(table, {}, false);
  EXPECT_DEATH(cache.close(table, {}, false), "table 0 is not open");
  EXPECT_DEATH(cache.advance(table, {}, 0), "not open");
}

}  // namespace
}  // namespace cairn::cache
