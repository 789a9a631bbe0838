#include "text/piece_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/error.h"

namespace cairn::text {
namespace {

using Matches = std::vector<std::pair<std::size_t, std::int32_t>>;

Matches prefixes(const PieceTrie& trie, std::string_view text) {
  Matches matches;
  trie.for_each_prefix(text, [&](std::size_t size_bytes, std::int32_t value) {
    matches.emplace_back(size_bytes, value);
  });
  return matches;
}

TEST(PieceTrie, AllPrefixesTheShortestFirst) {
  const std::vector<PieceTrie::Entry> entries = {{"a", 0}, {"abc", 1}, {"ab", 2},
                                                 {"b", 3}, {"", 4},    {"ab", 5}};
  const PieceTrie trie(entries);
  EXPECT_EQ(prefixes(trie, "abcd"), (Matches{{1, 0}, {2, 5}, {3, 1}}));
  EXPECT_EQ(prefixes(trie, "b"), (Matches{{1, 3}}));
  EXPECT_EQ(prefixes(trie, "c"), Matches{});
  EXPECT_EQ(prefixes(trie, ""), Matches{});
  EXPECT_EQ(prefixes(trie, std::string(3, '\0')), Matches{});
  EXPECT_EQ(trie.longest_prefix("abx")->value, 5);
  EXPECT_EQ(trie.longest_bytes(), 3U);
}

TEST(PieceTrie, NoPieces) {
  EXPECT_EQ(prefixes(PieceTrie(), std::string_view("\0\1\2", 3)), Matches{});
}

TEST(PieceTrie, LongPiecesAreRefused) {
  const std::string piece(PieceTrie::kLongestPieceBytes + 1, 'a');
  const std::vector<PieceTrie::Entry> entries = {{piece, 0}};
  EXPECT_THROW(PieceTrie{entries}, Error);
}

TEST(PieceTrie, EqualsTrying) {
  std::mt19937 random(3);
  for (const std::uint32_t letters : {2U, 5U, 256U}) {
    const auto random_text = [&](std::uint32_t longest) {
      std::string text;
      for (std::uint32_t i = 1 + random() % longest; i > 0; --i)
        text.push_back(static_cast<char>(random() % letters));
      return text;
    };
    std::map<std::string, std::int32_t> pieces;
    for (std::int32_t i = 0; i < 3000; ++i) pieces[random_text(letters == 256 ? 2 : 9)] = i;
    std::vector<PieceTrie::Entry> entries;
    for (const auto& [piece, value] : pieces) entries.push_back({piece, value});
    std::shuffle(entries.begin(), entries.end(), random);
    const PieceTrie trie(entries);
    for (int round = 0; round < 2000; ++round) {
      const std::string text = random_text(12);
      Matches expected;
      for (std::size_t size = 1; size <= text.size(); ++size)
        if (const auto piece = pieces.find(text.substr(0, size)); piece != pieces.end())
          expected.emplace_back(size, piece->second);
      ASSERT_EQ(prefixes(trie, text), expected);
    }
  }
}

}  // namespace
}  // namespace cairn::text
