#include "text/merge_borders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cairn::text {
namespace {

using Merges = std::vector<std::pair<std::string, std::string>>;

bool joins(const Merges& merges, std::string_view piece, std::size_t at) {
  return std::any_of(merges.begin(), merges.end(), [&](const auto& merge) {
    return piece.substr(0, at).ends_with(merge.first) && piece.substr(at).starts_with(merge.second);
  });
}

TEST(MergeBorders, NeverMissAMerge) {
  std::mt19937 random(41);
  const std::vector<std::string> parts = {"a",       "b",    "\xE4\xB8\x80", "\xE4\xB8",
                                          "\xE4",    "\x80", "\xE5\xA4\xA9", "\xF0\x9F\x98\x80",
                                          "\xC3\xA9"};
  const auto text = [&](std::uint32_t longest) {
    std::string result;
    for (std::uint32_t i = 1 + random() % longest; i > 0; --i)
      result += parts[random() % parts.size()];
    return result;
  };
  std::size_t cuts = 0;
  for (int round = 0; round < 200; ++round) {
    Merges merges;
    for (int i = 0; i < 8; ++i) merges.emplace_back(text(3), text(3));
    MergeBorders borders(merges.size());
    for (const auto& [left, right] : merges) borders.add(left, right);
    for (int piece_round = 0; piece_round < 20; ++piece_round) {
      const std::string piece = text(12);
      for (std::size_t at = 1; at < piece.size(); ++at) {
        cuts += borders.may_join(piece, at) ? 0 : 1;
        ASSERT_TRUE(borders.may_join(piece, at) || !joins(merges, piece, at)) << piece << at;
      }
    }
  }
  EXPECT_GT(cuts, 0U);
}

TEST(MergeBorders, CutBetweenCharactersThatNeverMerge) {
  MergeBorders borders(1000);
  borders.add("\xE4\xB8\x80", "\xE5\xA4\xA9");
  borders.add("\xE4", "\xB8");
  EXPECT_TRUE(borders.may_join("\xE4\xB8\x80\xE5\xA4\xA9", 3));
  EXPECT_TRUE(borders.may_join("\xE4\xB8\x80", 1));
  EXPECT_FALSE(borders.may_join("\xE4\xB8\x80", 2));
  EXPECT_FALSE(borders.may_join("\xE5\xA4\xA9\xE4\xB8\x80", 3));
  EXPECT_FALSE(borders.may_join("aaa", 1));
}

}  // namespace
}  // namespace cairn::text
