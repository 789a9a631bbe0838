#include "text/merge.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "text/merge_table.h"

namespace cairn::text {
namespace {

std::vector<std::int32_t> merged(const std::vector<std::int32_t>& tokens, const MergeTable& table) {
  SymbolList symbols;
  std::uint32_t end = 0;
  for (const std::int32_t token : tokens) symbols.push(TokenId(token), ++end);
  symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
    return table.find(left, right);
  });
  std::vector<std::int32_t> result;
  std::uint32_t covered = 0;
  symbols.for_each([&](TokenId token, std::uint32_t begin, std::uint32_t symbol_end) {
    EXPECT_EQ(begin, covered);
    covered = symbol_end;
    result.push_back(token.value);
  });
  EXPECT_EQ(covered, end);
  return result;
}

// The definition, word for word: look at all pairs, merge the best, start again.
std::vector<std::int32_t> merged_by_definition(std::vector<std::int32_t> tokens,
                                               const MergeTable& table) {
  while (true) {
    std::optional<Merge> best;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto merge = table.find(TokenId(tokens[i]), TokenId(tokens[i + 1]));
      if (!merge || (best && merge->rank >= best->rank)) continue;
      best = merge;
      best_at = i;
    }
    if (!best) return tokens;
    tokens[best_at] = best->token.value;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

TEST(Merge, LowestRankThenLeftmost) {
  MergeTable table(3);
  table.insert(TokenId(0), TokenId(0), {1, TokenId(2)});  // aa
  table.insert(TokenId(0), TokenId(1), {0, TokenId(3)});  // ab
  table.insert(TokenId(2), TokenId(3), {2, TokenId(4)});  // aa ab
  EXPECT_EQ(merged({0, 0, 0}, table), (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(merged({0, 0, 0, 1}, table), (std::vector<std::int32_t>{4}));
  EXPECT_EQ(merged({1, 0, 1, 0}, table), (std::vector<std::int32_t>{1, 3, 0}));
  EXPECT_EQ(merged({}, table), (std::vector<std::int32_t>{}));
  EXPECT_EQ(merged({7}, table), (std::vector<std::int32_t>{7}));
}

TEST(Merge, EqualsTheDefinitionOnRandomVocabularies) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t letters = 2 + random() % 3;
    MergeTable table(12);
    auto next = static_cast<std::int32_t>(letters);
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto left = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(next));
      const auto right = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(next));
      // Ranks repeat and do not rise with the tokens, as SentencePiece's scores may.
      table.insert(TokenId(left), TokenId(right),
                   {static_cast<std::uint32_t>(random() % 6), TokenId(next++)});
    }
    // Short pieces, long ones, and a few that are long enough for every part of the queue.
    const std::uint32_t most = round % 100 == 99 ? 6000 : round % 2 == 0 ? 40 : 200;
    std::vector<std::int32_t> tokens(random() % most);
    for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % letters);
    ASSERT_EQ(merged(tokens, table), merged_by_definition(tokens, table)) << "round " << round;
  }
}

// Text that repeats itself takes the queue's runs.
TEST(Merge, EqualsTheDefinitionOnRepetitions) {
  MergeTable table(8);
  table.insert(TokenId(0), TokenId(0), {1, TokenId(2)});
  table.insert(TokenId(2), TokenId(0), {3, TokenId(3)});
  table.insert(TokenId(2), TokenId(2), {2, TokenId(4)});
  table.insert(TokenId(4), TokenId(4), {5, TokenId(5)});
  table.insert(TokenId(4), TokenId(2), {4, TokenId(6)});
  table.insert(TokenId(1), TokenId(2), {0, TokenId(7)});
  for (const std::size_t size : {5000U, 5001U, 6007U}) {
    std::vector<std::int32_t> tokens(size, 0);
    EXPECT_EQ(merged(tokens, table), merged_by_definition(tokens, table));
    for (std::size_t i = 0; i < size; i += 97) tokens[i] = 1;
    EXPECT_EQ(merged(tokens, table), merged_by_definition(tokens, table));
  }
}

TEST(MergeTable, FindsWhatWentInAndTheFirstOfTwo) {
  constexpr std::int32_t kCount = 5000;
  MergeTable table(kCount + 1);
  for (std::int32_t i = 0; i < kCount; ++i)
    table.insert(TokenId(i), TokenId(i * 7), {static_cast<std::uint32_t>(i), TokenId(i + 1)});
  table.insert(TokenId(3), TokenId(21), {99, TokenId(99)});
  for (std::int32_t i = 0; i < kCount; ++i) {
    const auto found = table.find(TokenId(i), TokenId(i * 7));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rank, static_cast<std::uint32_t>(i));
    EXPECT_EQ(found->token, TokenId(i + 1));
    EXPECT_FALSE(table.find(TokenId(i), TokenId(i * 7 + 1)));
  }
}

}  // namespace
}  // namespace cairn::text
