#include "text/byte_pair_merger.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cairn::text {
namespace {

constexpr int kDropped = 0x07;

struct RandomVocabulary {
  std::vector<std::string> bytes;  // by token
  std::vector<std::pair<TokenId, TokenId>> merges;
};

/// Merges of the characters that the texts below are made of.
RandomVocabulary random_vocabulary(std::mt19937& random) {
  RandomVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.bytes.emplace_back(1, static_cast<char>(byte));
  const std::string letters = "ab\xE4\xE5\xB8\x80\xA4 \xC3";
  const auto any = [&]() -> std::size_t {
    const std::size_t merged = vocabulary.bytes.size() - 256;
    if (merged > 0 && random() % 2 == 0) return 256 + random() % merged;
    return static_cast<std::uint8_t>(letters[random() % letters.size()]);
  };
  for (int i = 0; i < 40; ++i) {
    const std::size_t left = any();
    const std::size_t right = any();
    const std::string whole = vocabulary.bytes[left] + vocabulary.bytes[right];
    if (whole.size() > 12) continue;
    vocabulary.merges.emplace_back(TokenId(static_cast<std::int32_t>(left)),
                                   TokenId(static_cast<std::int32_t>(right)));
    vocabulary.bytes.push_back(whole);
  }
  return vocabulary;
}

BytePairMerger merger_of(const RandomVocabulary& vocabulary) {
  BytePairMerger::ByteTokens byte_tokens;
  for (int byte = 0; byte < 256; ++byte)
    byte_tokens[static_cast<std::size_t>(byte)] = TokenId(byte == kDropped ? -1 : byte);
  BytePairMerger merger(byte_tokens, vocabulary.merges.size());
  for (std::size_t i = 0; i < vocabulary.merges.size(); ++i) {
    const auto [left, right] = vocabulary.merges[i];
    merger.add(left, vocabulary.bytes[static_cast<std::size_t>(left.value)], right,
               vocabulary.bytes[static_cast<std::size_t>(right.value)],
               {static_cast<std::uint32_t>(i), TokenId(static_cast<std::int32_t>(256 + i))});
  }
  return merger;
}

std::string random_piece(std::mt19937& random) {
  const std::vector<std::string> parts = {
      "a",    "b", "ab", "\xE4\xB8\x80", "\xE5", "\xB8\x80", "\xE5\xA4\xA4", "\xC3\xA4",
      "\x07", " ", "z"};
  std::string piece;
  for (std::uint32_t i = 1 + random() % 60; i > 0; --i) piece += parts[random() % parts.size()];
  return piece;
}

/// Pair by pair over the whole piece, as training did.
std::vector<TokenId> by_definition(const RandomVocabulary& vocabulary, const std::string& piece) {
  std::vector<TokenId> tokens;
  for (const char c : piece)
    if (c != kDropped) tokens.emplace_back(static_cast<std::uint8_t>(c));
  while (true) {
    std::size_t best_rank = vocabulary.merges.size();
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      for (std::size_t rank = 0; rank < best_rank; ++rank)
        if (vocabulary.merges[rank] == std::pair(tokens[i], tokens[i + 1])) {
          best_rank = rank;
          best = i;
        }
    if (best_rank == vocabulary.merges.size()) return tokens;
    tokens[best] = TokenId(static_cast<std::int32_t>(256 + best_rank));
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BytePairMerger, PartsGiveTheTokensOfTheWhole) {
  std::mt19937 random(59);
  std::size_t parts = 0;
  for (int round = 0; round < 100; ++round) {
    const RandomVocabulary vocabulary = random_vocabulary(random);
    const BytePairMerger merger = merger_of(vocabulary);
    SymbolList symbols;
    for (int piece_round = 0; piece_round < 10; ++piece_round) {
      const std::string piece = random_piece(random);
      std::vector<TokenId> tokens;
      std::size_t done = 0;
      merger.for_each_part(piece, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin, done);
        done = end;
        ++parts;
        merger.merge_part(
            std::string_view(piece).substr(begin, end - begin), symbols,
            [&](TokenId token, std::uint32_t, std::uint32_t) { tokens.push_back(token); });
      });
      EXPECT_EQ(done, piece.size());
      ASSERT_EQ(tokens, by_definition(vocabulary, piece)) << piece;
    }
  }
  EXPECT_GT(parts, 2000U);
}

}  // namespace
}  // namespace cairn::text
