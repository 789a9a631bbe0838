#include "text/precompiled_map.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "text/test_precompiled_map.h"

namespace cairn::text {
namespace {

std::string found(const std::optional<PrecompiledMap::Match>& match) {
  if (!match) return "none";
  return std::to_string(match->size_bytes) + ":" + std::string(match->replacement);
}

TEST(PrecompiledMap, LongestAndShortestRule) {
  const PrecompiledMap map(
      compile_rules({{"a", "x"}, {"abc", "yz"}, {"\xC3\x84", "Ae"}, {"\t", " "}, {"q", ""}}));
  EXPECT_EQ(found(map.longest_prefix("abcd")), "3:yz");
  EXPECT_EQ(found(map.shortest_prefix("abcd")), "1:x");
  EXPECT_EQ(found(map.longest_prefix("abd")), "1:x");
  EXPECT_EQ(found(map.longest_prefix("\xC3\x84")), "2:Ae");
  EXPECT_EQ(found(map.longest_prefix("\xC3")), "none");
  EXPECT_EQ(found(map.longest_prefix("\t\t")), "1: ");
  EXPECT_EQ(found(map.longest_prefix("q")), "1:");
  EXPECT_EQ(found(map.longest_prefix("")), "none");
  EXPECT_EQ(found(map.longest_prefix("b")), "none");
  EXPECT_EQ(found(map.shortest_prefix("b")), "none");
}

TEST(PrecompiledMap, NoRules) {
  const PrecompiledMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(found(map.longest_prefix("a")), "none");
}

TEST(PrecompiledMap, EveryRuleIsFound) {
  std::mt19937 random(7);
  NormalizationRules rules;
  for (int i = 0; i < 200; ++i) {
    std::string key;
    for (std::uint32_t size = 1 + random() % 5; size > 0; --size)
      key.push_back(static_cast<char>(1 + random() % 255));
    rules[key] = std::to_string(i);
  }
  const PrecompiledMap map(compile_rules(rules));
  for (const auto& [key, replacement] : rules) {
    const auto match = map.longest_prefix(key);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->size_bytes, key.size());
    EXPECT_EQ(match->replacement, replacement);
  }
}

TEST(PrecompiledMap, BrokenBlobsAreRefused) {
  const std::string good = compile_rules({{"a", "x"}});
  EXPECT_THROW(PrecompiledMap(""), Error);
  EXPECT_THROW(PrecompiledMap("\x01"), Error);
  EXPECT_THROW(PrecompiledMap(good.substr(0, 100)), Error);
  EXPECT_THROW(PrecompiledMap(good + "\xFF"), Error);
  EXPECT_THROW(PrecompiledMap(good + std::string(2000, 'x')), Error);
}

// A wrong index is no rule; nothing outside is read.
TEST(PrecompiledMap, AnyUnitsAreSafe) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string blob;
    append_u32(blob, 64 * 4);
    for (int i = 0; i < 64; ++i) {
      std::uint32_t unit = random();
      if (random() % 2 == 0) unit = (random() % 64) << 10 | 1U << 8 | random() % 64;
      append_u32(blob, unit);
    }
    blob.append("ab\xC3\xA4\0c", 6);
    const PrecompiledMap map(blob);
    for (char c = 0; c < 64; ++c) {
      const std::string text(300, c);
      const auto match = map.longest_prefix(text);
      EXPECT_LE(match ? match->size_bytes : 0, PrecompiledMap::kLongestRuleBytes);
      (void)map.shortest_prefix(text);
    }
  }
}

}  // namespace
}  // namespace cairn::text
