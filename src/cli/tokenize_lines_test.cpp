#include "cli/tokenize_lines.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

using Ranges = std::vector<text::TokenOffsets>;

Ranges in_characters(std::string_view text, Ranges offsets) {
  count_in_characters(text, offsets);
  return offsets;
}

TEST(CountInCharacters, EveryCharacterIsOne) {
  EXPECT_EQ(in_characters("abc", {{0, 1}, {1, 3}}), (Ranges{{0, 1}, {1, 3}}));
  EXPECT_EQ(in_characters("é🙂a", {{0, 2}, {2, 6}, {6, 7}}), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(CountInCharacters, APartOfACharacterIsTheWholeOfIt) {
  EXPECT_EQ(in_characters("aé", {{1, 2}, {2, 3}}), (Ranges{{1, 2}, {1, 2}}));
  EXPECT_EQ(in_characters("🙂b", {{1, 5}}), (Ranges{{0, 2}}));
}

TEST(CountInCharacters, WhatStandsForNoTextStaysEmpty) {
  EXPECT_EQ(in_characters("", {{0, 0}}), (Ranges{{0, 0}}));
  EXPECT_EQ(in_characters("éa", {{0, 0}, {2, 2}, {3, 3}}), (Ranges{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(CountInCharacters, BytesThatAreNoTextAreCountedSomehow) {
  EXPECT_EQ(in_characters("\x80\x80", {{0, 1}, {1, 2}}), (Ranges{{0, 0}, {0, 0}}));
}

}  // namespace
}  // namespace cairn::cli
