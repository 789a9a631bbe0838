#include "text/special_tokens.h"

#include <gtest/gtest.h>

#include "text/segments.h"
#include "text/test_vocabularies.h"

namespace cairn::text {
namespace {

Vocabulary vocabulary() {
  Vocabulary result;
  result.model = "gpt2";
  add_token(result, "<|end|>", TokenKind::control);         // 0
  add_token(result, "<|end|>more", TokenKind::control);     // 1
  add_token(result, "  ", TokenKind::user_defined);         // 2
  add_token(result, "    ", TokenKind::user_defined);       // 3
  add_token(result, "plain", TokenKind::normal);            // 4
  add_token(result, "<unk>", TokenKind::unknown);           // 5
  add_token(result, "", TokenKind::user_defined);           // 6: never matches
  add_token(result, "\xC3\xA9!", TokenKind::user_defined);  // 7
  add_token(result, "  ", TokenKind::user_defined);         // 8: 2 again
  return result;
}

// "text" for text, "#3" for a token.
std::vector<std::string> segments_of(const Vocabulary& from, std::string_view text,
                                     std::span<const TextRange> control_ranges) {
  const SpecialTokens special(from);
  std::vector<std::string> result;
  for_each_segment(
      special, text, control_ranges,
      [&](std::string_view part, std::size_t begin) {
        EXPECT_EQ(part, text.substr(begin, part.size()));
        result.emplace_back(part);
      },
      [&](const SpecialTokens::Match& match) {
        result.push_back(fmt::format("#{}", match.token.value));
      });
  return result;
}

std::vector<std::string> segments(std::string_view text, bool with_control) {
  const Vocabulary from = vocabulary();
  const TextRange everything{0, text.size()};
  return segments_of(from, text, std::span(&everything, with_control ? 1 : 0));
}

using Strings = std::vector<std::string>;

TEST(SpecialTokens, ControlTokensOnlyWhenAsked) {
  EXPECT_EQ(segments("a<|end|>b<unk>", false), (Strings{"a<|end|>b<unk>"}));
  EXPECT_EQ(segments("a<|end|>b<unk>", true), (Strings{"a", "#0", "b", "#5"}));
}

TEST(SpecialTokens, LeftmostThenLongest) {
  EXPECT_EQ(segments("<|end|>mor<|end|>more", true), (Strings{"#0", "mor", "#1"}));
  EXPECT_EQ(segments("a       b", false), (Strings{"a", "#3", "#2", " b"}));
  EXPECT_EQ(segments("<<|end|>", true), (Strings{"<", "#0"}));
}

TEST(SpecialTokens, ABeginningIsNoMatch) {
  EXPECT_EQ(segments("<|end|", true), (Strings{"<|end|"}));
  EXPECT_EQ(segments("", true), (Strings{}));
  EXPECT_EQ(segments("plain", true), (Strings{"plain"}));
  EXPECT_EQ(segments("\xC3\xA9?\xC3\xA9!", false), (Strings{"\xC3\xA9?", "#7"}));
}

TEST(SpecialTokens, ControlTokensMatchWhollyInsideOneRange) {
  const std::string_view text = "<|end|><|end|>  <|end|>more";
  const auto within = [&](std::vector<TextRange> ranges) {
    return segments_of(vocabulary(), text, ranges);
  };
  EXPECT_EQ(within({{0, 7}}), (Strings{"#0", "<|end|>", "#2", "<|end|>more"}));
  EXPECT_EQ(within({{7, 14}, {16, 27}}), (Strings{"<|end|>", "#0", "#2", "#1"}));
  EXPECT_EQ(within({{1, 7}, {8, 14}}), (Strings{"<|end|><|end|>", "#2", "<|end|>more"}));
  EXPECT_EQ(within({{16, 26}}), (Strings{"<|end|><|end|>", "#2", "#0", "more"}));
}

TEST(SpecialTokens, SwallowTheWhiteSpaceBesideThem) {
  Vocabulary from;
  from.strip_right.push_back(add_token(from, "<right>", TokenKind::control));
  from.strip_left.push_back(add_token(from, "<left>", TokenKind::control));
  const std::string_view text = "a <right>\xC2\xA0\n b <left> c<right> \n<left>\xFF";
  const std::vector<TextRange> everything = {{0, text.size()}};
  EXPECT_EQ(segments_of(from, text, everything),
            (Strings{"a ", "#0", "b", "#1", " c", "#0", "#1", "\xFF"}));
}

TEST(SpecialTokens, VocabularyWithoutKindsHasNone) {
  Vocabulary from;
  from.pieces = {"a", "b"};
  const std::vector<TextRange> everything = {{0, 2}};
  EXPECT_FALSE(SpecialTokens(from).find("ab", 0, everything));
}

}  // namespace
}  // namespace cairn::text
