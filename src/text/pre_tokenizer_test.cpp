#include "text/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

using testing::HasSubstr;
using Strings = std::vector<std::string>;

Strings cut(const PreTokenizer& pre_tokenizer, std::string_view text) {
  PreTokenizer::Scratch scratch;
  pre_tokenizer.split(text, scratch);
  Strings pieces;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : scratch.ends) {
    EXPECT_LT(begin, end);
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  EXPECT_EQ(begin, text.size());
  return pieces;
}

Strings cut(std::string_view name, std::string_view text) {
  return cut(PreTokenizer(find_pre_tokenizer(name)), text);
}

Strings cut_by(std::string_view pattern, std::string_view text) {
  return cut(PreTokenizer(PreTokenizerRules{.names = "", .patterns = {pattern}}), text);
}

TEST(Pattern, MatchesAndGapsArePieces) {
  EXPECT_EQ(cut_by("[0-9]+", "ab12c3"), (Strings{"ab", "12", "c", "3"}));
  EXPECT_EQ(cut_by("[0-9]+", ""), (Strings{}));
  EXPECT_EQ(cut_by("x*", "a\xC3\xA9xxb"), (Strings{"a\xC3\xA9", "xx", "b"}));
}

TEST(Pattern, WhiteSpaceIsUnicodes) {
  const std::string next_line = "\xC2\x85";
  const std::string ideographic_space = "\xE3\x80\x80";
  const std::string vowel_separator = "\xE1\xA0\x8E";  // U+180E: no white space since Unicode 6.3
  EXPECT_EQ(cut_by("\\s+", "a" + next_line + ideographic_space + "\tb"),
            (Strings{"a", next_line + ideographic_space + "\t", "b"}));
  EXPECT_EQ(cut_by("[\\sx]+", "ax b"), (Strings{"a", "x ", "b"}));
  EXPECT_EQ(cut_by("\\S+", "a" + vowel_separator + " b"),
            (Strings{"a" + vowel_separator, " ", "b"}));
}

TEST(Pattern, WrongExpressionIsAnError) {
  try {
    const Pattern pattern("(a");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("(a"));
  }
}

TEST(Pattern, GivesUpInsteadOfHanging) {
  try {
    cut_by("(a+)+$", std::string(60, 'a') + "b");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  }
}

TEST(PreTokenizer, Gpt2) {
  EXPECT_EQ(cut("gpt-2", "I'll go  to 2024's \n\n end..."),
            (Strings{"I", "'ll", " go", " ", " to", " 2024", "'s", " \n\n", " end", "..."}));
  EXPECT_EQ(cut("gpt-2", "a \n"), (Strings{"a", " \n"}));
  EXPECT_EQ(cut("gpt-2", "I'LL"), (Strings{"I", "'", "LL"}));
}

TEST(PreTokenizer, SmolLmTakesDigitsApart) {
  EXPECT_EQ(cut("smollm", "in 123 x"), (Strings{"in", " ", "1", "2", "3", " x"}));
}

TEST(PreTokenizer, Llama3) {
  EXPECT_EQ(cut("llama-bpe", "I'LL pay $12345.67\n\n  ok"),
            (Strings{"I", "'LL", " pay", " $", "123", "45", ".", "67", "\n\n", " ", " ok"}));
  EXPECT_EQ(cut("llama3", "f(x) = y;\n"), (Strings{"f", "(x", ")", " =", " y", ";\n"}));
}

TEST(PreTokenizer, Qwen2TakesDigitsOneByOne) {
  EXPECT_EQ(cut("qwen2", "a 12\tb"), (Strings{"a", " ", "1", "2", "\tb"}));
}

TEST(PreTokenizer, Gpt4oCutsBeforeCapitals) {
  EXPECT_EQ(cut("gpt-4o", "HTMLParser isn't iPhone //\n"),
            (Strings{"HTMLParser", " isn't", " i", "Phone", " //\n"}));
  EXPECT_EQ(cut("tekken", "fooBar"), (Strings{"foo", "Bar"}));
}

TEST(PreTokenizer, DeepSeek) {
  EXPECT_EQ(cut("deepseek-coder", "if x:\n  12"), (Strings{"if", " x", ":", "\n", "  ", "1", "2"}));
  EXPECT_EQ(cut("deepseek-llm", "a  \xE4\xB8\x80 12  "),
            (Strings{"a", "  ", "\xE4\xB8\x80", " ", "12", "  "}));
  EXPECT_EQ(cut("deepseek-v3", "1234 _foo"), (Strings{"123", "4", " _", "foo"}));
}

TEST(PreTokenizer, KimiTakesHanApart) {
  EXPECT_EQ(cut("kimi-k2", "fooBar\xE4\xB8\xAD\xE6\x96\x87's 12345"),
            (Strings{"foo", "Bar", "\xE4\xB8\xAD\xE6\x96\x87", "'s", " ", "123", "45"}));
  // Spaces before Han keep one for themselves; a Han number stands among numbers.
  EXPECT_EQ(cut("kimi-k2", "  \xE4\xB8\xAD"), (Strings{" ", " ", "\xE4\xB8\xAD"}));
  EXPECT_EQ(cut("kimi-k2",
                "1\xE3\x80\x87"
                "2"),
            (Strings{"1\xE3\x80\x87"
                     "2"}));
  EXPECT_EQ(cut("kimi-k2", "HTTPServer's"), (Strings{"HTTPServer's"}));
}

TEST(PreTokenizer, NumbersInThreesFromTheRight) {
  EXPECT_EQ(cut("superbpe", "in 1234567 and 12"),
            (Strings{"in ", "1", "234", "567", " and ", "12"}));
  EXPECT_EQ(cut("superbpe", "123456"), (Strings{"123", "456"}));
  EXPECT_EQ(cut("afmoe", "x 1234567\xC2\xB2"), (Strings{"x", " ", "12", "345", "67\xC2\xB2"}));
  EXPECT_EQ(cut("tiny_aya", "12345 12345a 1234"),
            (Strings{"12", "345", " ", "123", "45", "a", " ", "1", "234"}));
}

// By the published alternatives: powers of two while they fit, then at most two.
TEST(PreTokenizer, JaisCutsSpacesByPowersOfTwo) {
  const auto sizes = [](const std::string& text) {
    std::vector<std::size_t> result;
    for (const std::string& piece : cut("jais-2", text)) result.push_back(piece.size());
    return result;
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes(std::string(8, ' ') + "x"), (Sizes{4, 2, 1, 2}));
  EXPECT_EQ(sizes(std::string(9, ' ')), (Sizes{8, 1}));
  EXPECT_EQ(sizes(std::string(1300, ' ')), (Sizes{512, 512, 256, 16, 4}));
  EXPECT_EQ(sizes("a" + std::string(9, '\n') + "  b"), (Sizes{1, 9, 1, 2}));
  EXPECT_EQ(sizes("a b  (c"), (Sizes{1, 2, 1, 2, 1}));
}

TEST(PreTokenizer, TurkishSuffixesAreNoEnglishContractions) {
  EXPECT_EQ(cut("ufakzeka", "Ankara'da 12"), (Strings{"Ankara", "'da", " ", "1", "2"}));
  EXPECT_EQ(cut("qwen2", "Ankara'da"), (Strings{"Ankara", "'d", "a"}));
}

TEST(PreTokenizer, DefaultServesFilesWithoutAName) {
  EXPECT_EQ(cut("", "go! 12345"), (Strings{"go", "!", " ", "123", "45"}));
  EXPECT_EQ(cut("default", "go! 12345"), cut("", "go! 12345"));
}

TEST(PreTokenizer, AMissingNameIsWorthAWarning) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  EXPECT_THAT(pre_tokenizer_warning(vocabulary), HasSubstr("--pre-tokenizer"));
  vocabulary.pre_tokenizer = "default";
  EXPECT_EQ(pre_tokenizer_warning(vocabulary), "");
  vocabulary = Vocabulary();
  vocabulary.model = "llama";
  EXPECT_EQ(pre_tokenizer_warning(vocabulary), "");
}

TEST(PreTokenizer, UnknownNameListsTheKnownOnes) {
  for (const char* name : {"no-such", "gpt", "gpt-2 phi-2"}) {
    try {
      find_pre_tokenizer(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_THAT(error.message(), HasSubstr(std::string("'") + name + "'"));
      EXPECT_THAT(error.message(), HasSubstr("smollm"));
      EXPECT_THAT(error.message(), HasSubstr("--pre-tokenizer"));
    }
  }
}

TEST(PreTokenizer, BosRuleComesWithTheName) {
  EXPECT_TRUE(find_pre_tokenizer("llama-bpe").add_bos);
  EXPECT_TRUE(find_pre_tokenizer("llama-bpe").ignore_merges);
  EXPECT_FALSE(find_pre_tokenizer("qwen2").add_bos);
}

std::string random_text(std::mt19937& random) {
  static const Strings parts = {"a",
                                "B",
                                "'s",
                                "'LL",
                                " ",
                                "  ",
                                "\n",
                                "\r\n",
                                "\t",
                                "1",
                                "23",
                                "!",
                                "(",
                                "_",
                                "\xC3\xA9",
                                "\xCC\x81",
                                "\xE4\xB8\x80",
                                "\xE3\x81\x82",
                                "\xF0\x9F\x98\x80",
                                "\xC2\x85",
                                "\xE3\x80\x80",
                                std::string(1, '\0')};
  std::string text;
  for (std::uint32_t i = random() % 30; i > 0; --i) text += parts[random() % parts.size()];
  return text;
}

// cut() itself expects that pieces follow each other without hole or overlap.
TEST(PreTokenizer, EveryFamilyTilesAnyText) {
  std::mt19937 random(3);
  for (const PreTokenizerRules& rules : pre_tokenizers()) {
    SCOPED_TRACE(rules.names);
    const PreTokenizer pre_tokenizer(rules);
    for (int round = 0; round < 200; ++round) cut(pre_tokenizer, random_text(random));
  }
}

// A family that is not linear would meet the match limit or never end.
TEST(PreTokenizer, EveryFamilyTakesLongRuns) {
  constexpr std::size_t kRun = 100'000;
  const Strings units = {
      "a", "A",  "1",  "(",  " ",        "\n",           "\t",           "\r\n",       " \n",
      "'", "aA", "a ", " a", "\xCC\x81", "\xE4\xB8\x80", "\xE3\x80\x80", "<sentinel:1"};
  for (const PreTokenizerRules& rules : pre_tokenizers()) {
    SCOPED_TRACE(rules.names);
    const PreTokenizer pre_tokenizer(rules);
    PreTokenizer::Scratch scratch;
    for (const std::string& unit : units) {
      std::string text;
      while (text.size() < kRun) text += unit;
      for (const char* end : {"", "x", "\xE4\xB8\x80"}) {
        const std::string whole = text + end;
        pre_tokenizer.split(whole, scratch);
        ASSERT_EQ(scratch.ends.back(), whole.size());
      }
    }
  }
}

}  // namespace
}  // namespace cairn::text
