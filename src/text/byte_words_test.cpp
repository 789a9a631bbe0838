#include "text/byte_words.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/piece_cache.h"
#include "text/piece_index.h"

namespace cairn::text {
namespace {

std::string random_piece(std::mt19937& random) {
  std::string piece;
  for (std::uint32_t i = 1 + random() % 30; i > 0; --i) piece += "ab\0\xFF"[random() % 4];
  return piece;
}

TEST(ByteWords, ShortWordsTellAllBytes) {
  std::unordered_map<std::uint64_t, std::string> seen;
  std::mt19937 random(47);
  for (int round = 0; round < 10'000; ++round) {
    std::string piece = random_piece(random).substr(0, 8);
    piece.resize(5, 'x');
    const auto [at, is_new] = seen.emplace(short_word(piece), piece);
    EXPECT_EQ(at->second, piece);
  }
  EXPECT_EQ(short_word(""), 0U);
}

TEST(ByteWords, EqualBytesSeesEveryByte) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string base(size, 'a');
    EXPECT_TRUE(equal_bytes(std::string(size, 'a').data(), base)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = base;
      other[at] = 'b';
      EXPECT_FALSE(equal_bytes(other.data(), base)) << size << " " << at;
    }
  }
}

// Strings that differ in one place only, of every size up to the longest.
TEST(PieceCache, TellsEveryPieceFromEveryOther) {
  PieceCache cache;
  for (std::size_t size = 1; size <= PieceCache::kLongestPieceBytes; ++size) {
    const std::string base(size, 'a');
    const std::vector<TokenId> tokens = {TokenId(static_cast<std::int32_t>(size))};
    cache.insert(base, tokens);
    std::vector<TokenId> found;
    EXPECT_TRUE(cache.find(base, found));
    EXPECT_EQ(found, tokens);
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = base;
      other[at] = 'b';
      EXPECT_FALSE(cache.find(other, found)) << size << " " << at;
    }
    EXPECT_FALSE(cache.find(base + "a", found));
  }
}

TEST(PieceIndex, FindsWhatWentInAndTheFirstOfTwo) {
  std::mt19937 random(53);
  std::vector<std::string> pieces(3000);
  for (std::string& piece : pieces) piece = random_piece(random);
  PieceIndex index(pieces.size());
  std::unordered_map<std::string, std::int32_t> expected;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    EXPECT_EQ(index.insert(pieces[i], TokenId(id)), expected.emplace(pieces[i], id).second);
  }
  for (int i = 0; i < 10'000; ++i) {
    const std::string piece = random_piece(random);
    const auto found = index.find(piece);
    const auto at = expected.find(piece);
    ASSERT_EQ(found.has_value(), at != expected.end());
    EXPECT_TRUE(!found || found->value == at->second);
  }
}

}  // namespace
}  // namespace cairn::text
