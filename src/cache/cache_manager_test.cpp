#include "cache/cache_manager.h"

#include <gtest/gtest.h>

#include <numeric>

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

CacheManager make(std::vector<StateSpec> states, std::vector<std::int32_t> pages,
                  std::int32_t retained = 4) {
  CacheOptions options;
  options.page_counts = std::move(pages);
  options.max_sequences = 4;
  options.max_retained = retained;
  options.sequence_tokens = 256;
  options.chunk_tokens = 32;
  return CacheManager(group_layers(states), options);
}

void compute(CacheManager& cache, TableId table, std::int32_t token_count) {
  ASSERT_TRUE(cache.extend(table, token_count));
  ASSERT_EQ(cache.check_integrity(), "");
  cache.advance(table, token_count);
  ASSERT_EQ(cache.check_integrity(), "");
}

TEST(PageGroups, LayersOfOneKindShareATable) {
  const std::vector<StateSpec> states{kFull, kWindow, std::monostate{}, kFull, kWindow};
  const auto groups = group_layers(states);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].layers, (std::vector{LayerIndex(0), LayerIndex(3)}));
  EXPECT_EQ(groups[1].layers, (std::vector{LayerIndex(1), LayerIndex(4)}));
}

TEST(CacheManager, NeededPagesOfAWindowAreBounded) {
  EXPECT_EQ(pages_needed(kFull, 33, 16, 32), 3);
  // 19 older positions and 32 new ones, anywhere: 51 positions touch at most 5 pages.
  EXPECT_EQ(pages_needed(kWindow, 1000, 16, 32), 5);
  EXPECT_EQ(pages_needed(kWindow, 40, 16, 32), 3);
}

TEST(CacheManager, AWindowedGroupFreesWhatLeftTheWindow) {
  CacheManager cache = make({kFull, kWindow}, {16, 5}, 0);
  const auto prompt = count_up(200);
  const TableId table = cache.open(prompt, 0, 256).value();
  for (std::int32_t end = 32; end <= 256; end += 32) {
    compute(cache, table, end);
    // The next query, at `end`, sees positions from end - 19 on.
    const std::int32_t first_page = std::max(0, end - 19) / 16;
    const auto pages = cache.pages(table, 1);
    EXPECT_EQ(cache.pool(1).owned_count(), end / 16 - first_page);
    for (std::int32_t page = 0; page < end / 16; ++page) {
      EXPECT_EQ(pages[static_cast<std::size_t>(page)].value < 0, page < first_page);
    }
    EXPECT_EQ(cache.pages(table, 0).size(), static_cast<std::size_t>(end / 16));
  }
  cache.close(table, prompt, 0);
  EXPECT_EQ(cache.owned_pages(), 0);
  EXPECT_EQ(cache.pool(0).free_count(), 16);
}

TEST(CacheManager, PromisesAreKeptAgainstLaterComers) {
  CacheManager cache = make({kFull}, {10});
  const auto prompt = count_up(20);
  const TableId first = cache.open(prompt, 0, 100).value();  // 7 pages
  EXPECT_EQ(cache.available(0), 3);
  EXPECT_FALSE(cache.open(prompt, 0, 49).has_value()) << "4 pages";
  const TableId second = cache.open(prompt, 0, 48).value();
  EXPECT_FALSE(cache.extend(second, 49)) << "not promised and not there";
  compute(cache, second, 48);
  compute(cache, first, 100);
  EXPECT_EQ(cache.available(0), 0);
  cache.close(first, {}, 0);
  EXPECT_TRUE(cache.extend(second, 49)) << "not promised, but there";
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(CacheManager, FitsAsksForTheEmptyPool) {
  CacheManager cache = make({kFull, kWindow}, {10, 5});
  EXPECT_TRUE(cache.fits(160));
  EXPECT_FALSE(cache.fits(161));
}

TEST(CacheManager, AContinuationGoesOnFromWhatWasComputed) {
  CacheManager cache = make({kFull, kWindow}, {16, 16});
  auto tokens = count_up(100);
  const TableId table = cache.open(tokens, 7, 120).value();
  compute(cache, table, 32);
  compute(cache, table, 64);
  compute(cache, table, 96);
  compute(cache, table, 100);
  cache.close(table, tokens, 7);
  EXPECT_EQ(cache.owned_pages(), 0);
  EXPECT_EQ(cache.check_integrity(), "");

  const auto longer = count_up(130);
  EXPECT_EQ(cache.match_prefix(longer, 7), 100);
  EXPECT_EQ(cache.match_prefix(longer, 8), 0) << "another salt shares nothing";
  EXPECT_EQ(cache.match_prefix(tokens, 7), 99) << "one token is always computed";
  EXPECT_EQ(cache.match_prefix(std::span(tokens).first(60), 7), 0) << "the window's keys are gone";
  EXPECT_EQ(cache.match_prefix(count_up(50, 3), 7), 0);

  const TableId next = cache.open(longer, 7, 200).value();
  EXPECT_EQ(cache.computed_count(next), 100);
  EXPECT_EQ(cache.check_integrity(), "");
  compute(cache, next, 130);
  EXPECT_EQ(cache.match_prefix(longer, 7), 0) << "taken over, not shared";
}

TEST(CacheManager, ADivergingPromptKeepsTheCommonPart) {
  CacheManager cache = make({kFull}, {16});
  auto tokens = count_up(100);
  const TableId table = cache.open(tokens, 0, 120).value();
  compute(cache, table, 100);
  cache.close(table, tokens, 0);
  tokens[40] = TokenId(9999);
  const TableId next = cache.open(tokens, 0, 110).value();
  EXPECT_EQ(cache.computed_count(next), 40);
  EXPECT_EQ(cache.pages(next, 0).size(), 3u);
  EXPECT_EQ(cache.pool(0).cached_count(), 0);
  EXPECT_EQ(cache.check_integrity(), "");
}

TEST(CacheManager, RetainedPagesMakeRoomOldestFirst) {
  CacheManager cache = make({kFull}, {10});
  for (int start : {0, 1000, 2000}) {
    const auto tokens = count_up(48, start);
    const TableId table = cache.open(tokens, 0, 48).value();
    compute(cache, table, 48);
    cache.close(table, tokens, 0);
  }
  EXPECT_EQ(cache.pool(0).cached_count(), 9);
  EXPECT_EQ(cache.available(0), 10);
  const TableId table = cache.open(count_up(60, 3000), 0, 64).value();
  compute(cache, table, 64);
  EXPECT_EQ(cache.match_prefix(count_up(60), 0), 0) << "the oldest went";
  EXPECT_EQ(cache.match_prefix(count_up(60, 1000), 0), 48);
  EXPECT_EQ(cache.match_prefix(count_up(60, 2000), 0), 48);
  cache.clear_retained();
  EXPECT_EQ(cache.pool(0).cached_count(), 0);
  EXPECT_EQ(cache.check_integrity(), "");
}

}  // namespace
}  // namespace cairn::cache
