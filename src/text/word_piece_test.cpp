#include "text/word_piece.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn::text {
namespace {

using Ranges = std::vector<TokenRange>;

const std::vector<WordPieceModel::Piece> kPieces = {
    {"un", TokenId(0)}, {"##aff", TokenId(1)}, {"##able", TokenId(2)}, {"##a", TokenId(3)},
    {"u", TokenId(4)},  {"##n", TokenId(5)},   {"unable", TokenId(6)}, {"\xC3\xA4", TokenId(7)}};
constexpr WordPieceModel::Options kOptions{.unknown = TokenId(9), .longest_word_characters = 8};

Ranges encode(const WordPieceModel& model, std::string_view word) {
  Ranges output;
  model.encode(word, output);
  return output;
}

TEST(WordPieceModel, LongestPieceFirst) {
  const WordPieceModel model(kPieces, "##", kOptions);
  EXPECT_EQ(encode(model, "unaffable").size(), 1U);  // nine characters
  EXPECT_EQ(encode(model, "unaffa"),
            (Ranges{{TokenId(0), 0, 2}, {TokenId(1), 2, 5}, {TokenId(3), 5, 6}}));
  EXPECT_EQ(encode(model, "unable"), (Ranges{{TokenId(6), 0, 6}}));
  EXPECT_EQ(encode(model, "unan"),
            (Ranges{{TokenId(0), 0, 2}, {TokenId(3), 2, 3}, {TokenId(5), 3, 4}}));
}

TEST(WordPieceModel, AWordThatCannotBeFinishedIsUnknown) {
  const WordPieceModel model(kPieces, "##", kOptions);
  EXPECT_EQ(encode(model, "unx"), (Ranges{{TokenId(9), 0, 3}}));
  EXPECT_EQ(encode(model, "aff"), (Ranges{{TokenId(9), 0, 3}}));
  EXPECT_EQ(encode(model, "##aff"), (Ranges{{TokenId(1), 0, 5}}));
}

TEST(WordPieceModel, CharactersCountNotBytes) {
  const WordPieceModel model(kPieces, "", kOptions);
  std::string word;
  for (int i = 0; i < 8; ++i) word += "\xC3\xA4";
  EXPECT_EQ(encode(model, word).size(), 8U);
  EXPECT_EQ(encode(model, word + "\xC3\xA4"), (Ranges{{TokenId(9), 0, 18}}));
}

TEST(WordPieceModel, BeginningsAndContinuationsMayBeApart) {
  const std::vector<WordPieceModel::Piece> first = {{"a", TokenId(0)}};
  const std::vector<WordPieceModel::Piece> rest = {{"b", TokenId(1)}};
  const WordPieceModel model(first, rest, kOptions);
  EXPECT_EQ(encode(model, "abb"),
            (Ranges{{TokenId(0), 0, 1}, {TokenId(1), 1, 2}, {TokenId(1), 2, 3}}));
  EXPECT_EQ(encode(model, "ba"), (Ranges{{TokenId(9), 0, 2}}));
}

}  // namespace
}  // namespace cairn::text
