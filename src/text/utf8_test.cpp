#include "text/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cairn::text {
namespace {

std::string replaced(std::string bytes) {
  std::string text;
  move_utf8(bytes, text, true);
  EXPECT_TRUE(bytes.empty());
  return text;
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;  // surrogates are no characters
    std::string text;
    append_utf8(text, c);
    const Utf8Sequence sequence = next_utf8(text);
    ASSERT_EQ(sequence.status, Utf8Status::valid) << std::uint32_t{c};
    ASSERT_EQ(sequence.size_bytes, text.size()) << std::uint32_t{c};
    ASSERT_TRUE(decode_utf8(text) == c) << std::uint32_t{c};
    for (std::size_t cut = 1; cut < text.size(); ++cut)
      ASSERT_EQ(next_utf8(text.substr(0, cut)).status, Utf8Status::incomplete) << std::uint32_t{c};
  }
}

// The examples of the Unicode Standard, 3.9, and what Python 3 gives for bytes.decode("utf-8",
// "replace").
TEST(Utf8, OneReplacementForEachMaximalSubpart) {
  const std::string r(kReplacementCharacter);
  EXPECT_EQ(replaced("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a" + r + r + r + "b" + r + "c" + r + r + "d");
  EXPECT_EQ(replaced("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replaced("\xED\xA0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(replaced("\xF4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(replaced("\xF0\x9F\x98"), r);                  // cut short
  EXPECT_EQ(replaced("\xFF\xFE"), r + r);
}

TEST(Utf8, IncompleteBytesWait) {
  std::string bytes = "x\xF0\x9F\x98";
  std::string text;
  move_utf8(bytes, text, false);
  EXPECT_EQ(text, "x");
  EXPECT_EQ(bytes, "\xF0\x9F\x98");
  bytes += "\x80y";
  move_utf8(bytes, text, false);
  EXPECT_EQ(text, "x\xF0\x9F\x98\x80y");
  EXPECT_TRUE(bytes.empty());
}

TEST(Utf8, BytesMayArriveInAnyPortions) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {
      "a",    "\xC3\xA9", "\xE2\x96\x81", "\xF0\x9F\x98\x80", "\xF0\x9F",
      "\xC3", "\x80",     "\xFF",         "\xED\xA0",         "abcdefghijk"};
  for (int round = 0; round < 2000; ++round) {
    std::string all;
    for (int i = 0; i < 8; ++i) all += parts[random() % parts.size()];
    std::string bytes;
    std::string text;
    for (const char c : all) {
      bytes += c;
      move_utf8(bytes, text, false);
      ASSERT_LE(bytes.size(), 3U);
    }
    move_utf8(bytes, text, true);
    ASSERT_EQ(text, replaced(all));
    ASSERT_EQ(valid_utf8_prefix(text), text.size());
  }
}

TEST(Utf8, ValidPrefixEndsWhereValidityEnds) {
  EXPECT_EQ(valid_utf8_prefix(""), 0U);
  EXPECT_EQ(valid_utf8_prefix("0123456789abcdef"), 16U);
  EXPECT_EQ(valid_utf8_prefix("0123456789\xC3\xA9\xC3"), 12U);
  EXPECT_EQ(valid_utf8_prefix("\x80"), 0U);
}

}  // namespace
}  // namespace cairn::text
