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
std::vector<std::string> segments(std::string_view text, bool with_control) {
  const Vocabulary from = vocabulary();
  const SpecialTokens special(from, with_control);
  std::vector<std::string> result;
  for_each_segment(
      special, text, [&](std::string_view part) { result.emplace_back(part); },
      [&](TokenId token) { result.push_back(fmt::format("#{}", token.value)); });
  return result;
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

TEST(SpecialTokens, VocabularyWithoutKindsHasNone) {
  Vocabulary from;
  from.pieces = {"a", "b"};
  EXPECT_FALSE(SpecialTokens(from, true).find("ab", 0));
}

}  // namespace
}  // namespace cairn::text
