#include "text/huggingface/oniguruma.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/pattern.h"

namespace cairn::text::huggingface {
namespace {

/// What the first match of `expression` is, in the translation.
std::string first_match(const char* expression, const std::string& text) {
  const Pattern pattern(pcre2_of_oniguruma(expression));
  PatternScratch scratch;
  const auto match = pattern.find(text, 0, scratch);
  return match ? text.substr(match->begin, match->end - match->begin) : "no match";
}

TEST(OnigurumaTest, ClassesAreUnicodes) {
  EXPECT_EQ(first_match(R"(\w+)", "-aé̈²_1ⓐ+"), "aé̈²_1ⓐ");
  EXPECT_EQ(first_match(R"([^\s]+)", " \u00A0x\u2028"), "x");
  EXPECT_EQ(first_match(R"([\S\n]+)", " x\ny z"), "x\ny");
  EXPECT_EQ(first_match(R"([^\S\n]+)", "x\n \t\ny"), " \t");
  EXPECT_EQ(first_match(R"(\h+)", "xyzAf9g"), "Af9");
}

TEST(OnigurumaTest, NestedSetsAddTheirMembers) {
  EXPECT_EQ(first_match(R"([^(\s|[.,!?])]+)", "(ab|c"), "ab");
  EXPECT_EQ(first_match(R"([a[bc]d]+)", "xabcde"), "abcd");
}

TEST(OnigurumaTest, WordsHaveBoundaries) {
  EXPECT_EQ(first_match(R"(\bx\b)", "xx x"), "x");
  EXPECT_EQ(first_match(R"(\Bé)", "é aé"), "é");
}

TEST(OnigurumaTest, LinesAndOptions) {
  EXPECT_EQ(first_match("^b", "a\nb"), "b");
  EXPECT_EQ(first_match("a$", "ba\nc"), "a");
  EXPECT_EQ(first_match("(?m:a.b)", "a\nb"), "a\nb");
  EXPECT_EQ(first_match("(?i:'S|'t)", "x's"), "'s");
  EXPECT_EQ(first_match(R"(\u4e00+)", "a一一"), "一一");
  EXPECT_EQ(first_match("a{,2}b", "aaab"), "aab");
  EXPECT_EQ(first_match("a{b", "xa{b"), "a{b");
}

TEST(OnigurumaTest, ScriptsAreNotTheirExtensions) {
  EXPECT_EQ(first_match(R"(\p{Hiragana}+)", "ーあ"), "あ");
  EXPECT_EQ(first_match(R"(\p{^L}+)", "ab1!c"), "1!");
  EXPECT_EQ(first_match(R"(\p{Letter}+)", "1ab2"), "ab");
}

TEST(OnigurumaTest, WhatHasNoEqualIsRefused) {
  for (const char* expression :
       {R"([a&&b])", R"([[:alpha:]])", R"([a[^b]])", R"([\W])", R"(\K)", R"(\G)", "(?~a)",
        "a{1,2}+", R"(\)", R"(\p{L)", R"(\u12)", "[a", "(*FAIL)", "(?(1)a|b)"}) {
    EXPECT_THROW(pcre2_of_oniguruma(expression), Error) << expression;
  }
}

}  // namespace
}  // namespace cairn::text::huggingface
