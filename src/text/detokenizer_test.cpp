#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "text/test_vocabularies.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

using Strings = std::vector<std::string>;

/// Its tokens are the given byte strings.
class Pieces final : public Tokenizer {
 public:
  explicit Pieces(Strings pieces, bool strips = false)
      : Tokenizer(share(Vocabulary{})), pieces_(std::move(pieces)), strips_(strips) {}
  std::string piece_bytes(TokenId token, bool) const override {
    return pieces_[static_cast<std::size_t>(token.value)];
  }
  bool strips_leading_space() const override { return strips_; }
  std::optional<TokenId> find_piece(std::string_view) const override { return std::nullopt; }

 protected:
  void encode_input(const Input&, Encoding&, bool) const override {}

 private:
  Strings pieces_;
  bool strips_;
};

struct Stream {
  std::string text;
  std::string stop;
};

Stream stream(const Strings& pieces, const Strings& stops, bool strips = false) {
  const Pieces tokenizer(pieces, strips);
  Detokenizer detokenizer(tokenizer, stops);
  Stream result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string part = detokenizer.push(TokenId(static_cast<std::int32_t>(i)));
    EXPECT_EQ(valid_utf8_prefix(part), part.size()) << "a character was cut";
    result.text += part;
  }
  result.text += detokenizer.finish();
  result.stop = detokenizer.stop_string();
  EXPECT_EQ(detokenizer.stopped(), !result.stop.empty());
  return result;
}

/// Every way to cut `text` into pieces.
template <class Visit>
void for_each_split(const std::string& text, const Visit& visit) {
  for (std::uint32_t cuts = 0; cuts < 1U << (text.size() - 1); ++cuts) {
    Strings pieces(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i > 0 && (cuts >> (i - 1) & 1U) != 0) pieces.emplace_back();
      pieces.back() += text[i];
    }
    visit(pieces);
  }
}

void expect_every_split(const std::string& text, const Strings& stops, const std::string& expected,
                        const std::string& stop) {
  for_each_split(text, [&](const Strings& pieces) {
    const Stream result = stream(pieces, stops);
    ASSERT_EQ(result.text, expected);
    ASSERT_EQ(result.stop, stop);
  });
}

TEST(Detokenizer, StopStringsInEverySplit) {
  expect_every_split("one STOP two", {"STOP"}, "one ", "STOP");
  expect_every_split("one STO two", {"STOP"}, "one STO two", "");
  expect_every_split("ends on STO", {"STOP"}, "ends on STO", "");
  expect_every_split("aaab", {"aab"}, "a", "aab");
  expect_every_split("ababac", {"abac", "x"}, "ab", "abac");
}

TEST(Detokenizer, FirstToCompleteThenLongest) {
  expect_every_split("zabcd", {"abcd", "bc"}, "za", "bc");
  expect_every_split("zabcd", {"bc", "abc"}, "z", "abc");
  expect_every_split("zabcd", {"abc", "bc"}, "z", "abc");
  expect_every_split("zab", {"", "ab"}, "z", "ab");
}

TEST(Detokenizer, StopStringsAndCharacters) {
  expect_every_split("x\xF0\x9F\x98\x80\xC3\xA9y", {"\xC3\xA9"}, "x\xF0\x9F\x98\x80", "\xC3\xA9");
  expect_every_split("\xE4\xB8\x80\xE4\xB8", {"\xE4\xB8\x81"},
                     "\xE4\xB8\x80" + std::string(kReplacementCharacter), "");
}

TEST(Detokenizer, StopStringsMatchWholeCharacters) {
  const std::string r(kReplacementCharacter);
  expect_every_split("a" + r + "b",
                     {"\xBF\xBD"
                      "b"},
                     "a" + r + "b", "");
  expect_every_split("a\xFF\xFFz", {"\xBF\xBD"}, "a", r + r);
}

TEST(Detokenizer, InvalidBytesInEverySplit) {
  const std::string r(kReplacementCharacter);
  expect_every_split(
      "a\xFF\x80"
      "b",
      {}, "a" + r + r + "b", "");
  expect_every_split(
      "\xF0\x9F\x98"
      "c",
      {}, r + "c", "");
  expect_every_split("\xE2\x82\xE2\x82\xAC", {}, r + "\xE2\x82\xAC", "");
}

TEST(Detokenizer, InvalidBytesLeaveAsSoonAsTheyAreDecided) {
  const Pieces tokenizer({"\xF0\x9F", "\x98", "c"});
  Detokenizer detokenizer(tokenizer, {});
  EXPECT_EQ(detokenizer.push(TokenId(0)), "");
  EXPECT_EQ(detokenizer.push(TokenId(1)), "");
  EXPECT_EQ(detokenizer.push(TokenId(2)), std::string(kReplacementCharacter) + "c");
}

TEST(Detokenizer, HoldsBackNoMoreThanItMust) {
  const Pieces tokenizer({"abc<", "|", "x", "<|e"});
  Detokenizer detokenizer(tokenizer, {"<|end|>"});
  EXPECT_EQ(detokenizer.push(TokenId(0)), "abc");
  EXPECT_EQ(detokenizer.push(TokenId(1)), "");
  EXPECT_EQ(detokenizer.push(TokenId(2)), "<|x");
  EXPECT_EQ(detokenizer.push(TokenId(3)), "");
  EXPECT_EQ(detokenizer.finish(), "<|e");
  EXPECT_FALSE(detokenizer.stopped());
}

TEST(Detokenizer, NothingLeavesAfterTheStop) {
  const Pieces tokenizer({"a!b", "c"});
  Detokenizer detokenizer(tokenizer, {"!"});
  EXPECT_EQ(detokenizer.push(TokenId(0)), "a");
  EXPECT_TRUE(detokenizer.stopped());
  EXPECT_EQ(detokenizer.push(TokenId(1)), "");
  EXPECT_EQ(detokenizer.finish(), "");
}

TEST(Detokenizer, OneLeadingSpaceGoesWhereTheTokenizerAddedIt) {
  EXPECT_EQ(stream({"", " a", " b"}, {}, true).text, "a b");
  EXPECT_EQ(stream({"  a"}, {}, true).text, " a");
  EXPECT_EQ(stream({"a", " b"}, {}, true).text, "a b");
  EXPECT_EQ(stream({" a"}, {}, false).text, " a");
}

/// By definition: all bytes, one leading space less, then replaced.
std::string decoded_at_once(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string bytes;
  for (const TokenId token : tokens) bytes += tokenizer.piece_bytes(token, false);
  if (tokenizer.strips_leading_space() && bytes.starts_with(' ')) bytes.erase(0, 1);
  std::string text;
  move_utf8(bytes, text, true);
  return text;
}

TEST(Detokenizer, StreamEqualsOneShotForAnyTokens) {
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  Vocabulary sentence_piece = sentence_piece_vocabulary({"\xE2\x96\x81",
                                                         "\xE2\x96\x81"
                                                         "a",
                                                         "\xC3\xA9"});
  tokenizers.push_back(make_tokenizer(share(sentence_piece)));
  sentence_piece.add_space_prefix = false;
  tokenizers.push_back(make_tokenizer(share(sentence_piece)));
  tokenizers.push_back(make_tokenizer(share(
      byte_level_vocabulary("gpt-2", {"\xC4\xA0 a", "\xC3\xB0 \xC5\x81", "\xC3\xA2 \xC4\xA2"}))));
  std::mt19937 random(31);
  for (const auto& tokenizer : tokenizers) {
    const auto count = static_cast<std::uint32_t>(tokenizer->vocabulary().pieces.size());
    for (int round = 0; round < 3000; ++round) {
      std::vector<TokenId> tokens(random() % 24);
      for (TokenId& token : tokens) token = TokenId(static_cast<std::int32_t>(random() % count));
      const std::string expected = decoded_at_once(*tokenizer, tokens);
      ASSERT_EQ(decode(*tokenizer, tokens), expected);
      Detokenizer detokenizer(*tokenizer,
                              {"no such stop", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD?"});
      std::string text;
      for (const TokenId token : tokens) text += detokenizer.push(token);
      text += detokenizer.finish();
      if (!detokenizer.stopped()) {
        ASSERT_EQ(text, expected);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::text
