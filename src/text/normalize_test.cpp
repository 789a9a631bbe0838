#include "text/normalize.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <random>

#include "text/utf8.h"

namespace cairn::text {
namespace {

std::string composed(std::string_view text) {
  std::string result;
  return compose_utf8(text, result) ? result : std::string(text);
}

std::string by_the_library(const std::string& text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  EXPECT_GE(size, 0);
  std::string copy(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
  std::free(result);
  return copy;
}

TEST(Normalize, Composes) {
  EXPECT_EQ(composed("e\xCC\x81t"), "\xC3\xA9t");            // e + acute
  EXPECT_EQ(composed("a\xCC\xA3\xCC\x82"), "\xE1\xBA\xAD");  // two marks
  EXPECT_EQ(composed("a\xCC\x82\xCC\xA3"), "\xE1\xBA\xAD");  // in the other order
  EXPECT_EQ(composed("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), "\xED\x95\x9C");  // Hangul
  EXPECT_EQ(composed("\xE2\x84\xAB"), "\xC3\x85");                              // the angstrom sign
}

TEST(Normalize, LeavesLatinTextAlone) {
  std::string result;
  EXPECT_FALSE(compose_utf8("plain, na\xC3\xAFve", result));
  EXPECT_FALSE(compose_utf8("", result));
  EXPECT_TRUE(result.empty());
}

TEST(Normalize, EqualsTheLibraryOnRandomText) {
  std::mt19937 random(5);
  const auto code_point = [&]() -> char32_t {
    switch (random() % 5) {
      case 0:
        return 'a' + random() % 26;
      case 1:
        return 0x300 + random() % 0x70;
      case 2:
        return 0xAC00 + random() % 11172;
      case 3:
        return 0x1100 + random() % 0x100;
      default:
        return 0xA0 + random() % 0xD000;
    }
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint32_t i = random() % 20; i > 0; --i) append_utf8(text, code_point());
    ASSERT_EQ(composed(text), by_the_library(text));
  }
}

// What lies between two changes is equal, and each change is its stretch composed.
TEST(Normalize, ChangesTellWhereTheResultCameFrom) {
  std::mt19937 random(6);
  const std::vector<std::string> parts = {"a",  "e\xCC\x81",    "\xCC\x82",     "\xE2\x84\xAB",
                                          "yy", "\xE4\xB8\x80", "\xEA\xB0\x80", "\xE1\x86\xA8"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint32_t i = random() % 12; i > 0; --i) text += parts[random() % parts.size()];
    std::string result = "old";
    std::vector<ComposedRange> changes;
    if (!compose_utf8(text, result, &changes)) {
      EXPECT_TRUE(changes.empty());
      continue;
    }
    const std::string_view made = std::string_view(result).substr(3);
    std::size_t done = 0;
    std::size_t source_done = 0;
    for (const ComposedRange& change : changes) {
      EXPECT_EQ(made.substr(done, change.begin - done),
                std::string_view(text).substr(source_done, change.source_begin - source_done));
      EXPECT_EQ(made.substr(change.begin, change.end - change.begin),
                composed(std::string_view(text).substr(change.source_begin,
                                                       change.source_end - change.source_begin)));
      done = change.end;
      source_done = change.source_end;
    }
    EXPECT_EQ(made.substr(done), std::string_view(text).substr(source_done));
  }
}

// The rule of where composition may stop must hold for every character there is.
TEST(Normalize, EqualsTheLibraryForEveryCompositionAndEveryCodePoint) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string character;
    append_utf8(character, c);
    const std::string text = "a" + character + "b";
    if (c == 0) continue;
    ASSERT_EQ(composed(text), by_the_library(text)) << static_cast<unsigned>(c);
    std::array<utf8proc_int32_t, 8> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(),
                                               parts.size(), UTF8PROC_DECOMPOSE, &boundary);
    if (count < 2) continue;
    std::string decomposed;
    for (utf8proc_ssize_t i = 0; i < count; ++i)
      append_utf8(decomposed, static_cast<char32_t>(parts[static_cast<std::size_t>(i)]));
    ASSERT_EQ(composed(decomposed), by_the_library(decomposed)) << static_cast<unsigned>(c);
  }
}

TEST(Normalize, LongRunsOfMarksAreSorted) {
  constexpr int kMarks = 200'000;
  std::string text = "a";
  for (int i = 0; i < kMarks; ++i) text += "\xCC\x82\xCC\xA3";
  const std::string result = composed(text);
  EXPECT_EQ(result.substr(0, 3), "\xE1\xBA\xAD");
  EXPECT_EQ(result.size(), text.size() - 2);
}

}  // namespace
}  // namespace cairn::text
