#include "text/ascii_scanner.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "text/pattern.h"
#include "text/pre_tokenizer.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

std::vector<std::uint32_t> ends_of(const Pattern& pattern, std::string_view text) {
  PatternScratch scratch;
  std::vector<std::uint32_t> ends;
  pattern.split(text, 0, scratch, ends);
  return ends;
}

/// The same expression in a group, which no scanner knows.
std::string grouped(std::string_view expression) {
  return std::string("(?:").append(expression).append(")");
}

std::vector<std::string_view> scanned_expressions() {
  std::vector<std::string_view> expressions;
  for (const char* name : {"gpt-2", "llama-bpe", "qwen2"})
    expressions.push_back(find_pre_tokenizer(name).patterns[0]);
  return expressions;
}

void append_random(std::string& text, std::mt19937& random) {
  static const std::vector<std::string> parts = {
      "a",        "Z",        "word",     " ",        "  ",
      "\n",       "\r\n",     "\t",       "'s",       "'LL",
      "'re",      "'Ve",      "'",        "1",        "234",
      "!",        "(_)",      "\xC3\xA9", "\xC2\xA0", "\xE3\x80\x80",
      "\xC2\xB2", "\xCC\x81", "\xC5\xBF", "\xC2\x85", "\xE4\xB8\x80"};
  switch (random() % 8) {
    case 0:
      text += static_cast<char>(random() % 128);
      break;
    case 1: {
      char32_t c = random() % 4 == 0 ? random() % 0x110000 : random() % 0x3000;
      if (c >= 0xD800 && c < 0xE000) c = 'x';
      append_utf8(text, c);
      break;
    }
    default:
      text += parts[random() % parts.size()];
  }
}

TEST(AsciiScanner, TheMostUsedPatternsHaveOne) {
  for (const std::string_view expression : scanned_expressions()) {
    EXPECT_NE(find_ascii_scanner(expression), nullptr) << expression;
    EXPECT_EQ(find_ascii_scanner(grouped(expression)), nullptr);
  }
}

TEST(AsciiScanner, EqualsTheExpressionOnRandomText) {
  for (const std::string_view expression : scanned_expressions()) {
    const Pattern scanned(expression);
    const Pattern expressed(grouped(expression));
    std::mt19937 random(67);
    for (int round = 0; round < 30'000; ++round) {
      std::string text;
      for (std::uint32_t i = random() % 16; i > 0; --i) append_random(text, random);
      ASSERT_EQ(ends_of(scanned, text), ends_of(expressed, text)) << expression << "\n" << text;
    }
  }
}

// Every character where it could change what a piece is.
TEST(AsciiScanner, EqualsTheExpressionBesideEveryCharacter) {
  for (const std::string_view expression : scanned_expressions()) {
    const Pattern scanned(expression);
    const Pattern expressed(grouped(expression));
    std::string text;
    for (char32_t c = 0; c < 0xE0200; ++c) {
      const bool is_assigned = c < 0x32400 || c >= 0xE0000;
      if ((c >= 0xD800 && c < 0xE000) || !is_assigned) continue;
      for (const char* before : {"a", " ", "  ", "1", "!", "'", "\n"}) {
        text += before;
        append_utf8(text, c);
      }
      text += "x";
      if (text.size() < 4096) continue;
      ASSERT_EQ(ends_of(scanned, text), ends_of(expressed, text)) << static_cast<unsigned>(c);
      text.clear();
    }
  }
}

}  // namespace
}  // namespace cairn::text
