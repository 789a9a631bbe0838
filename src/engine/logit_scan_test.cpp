#include "engine/logit_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/random.h"
#include "engine/sampling_candidates.h"
#include "engine/token_counts.h"

namespace cairn::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Many equal values and some that are no numbers.
std::vector<float> draws(std::size_t count, std::uint64_t seed, int different) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double draw = base::uniform_draw(seed, 0, i, base::DrawPurpose::test);
    values.push_back(static_cast<float>(std::floor(draw * different)) / 7.0f - 3.0f);
    if (draw < 0.01) values.back() = std::numeric_limits<float>::quiet_NaN();
    if (draw > 0.995) values.back() = -kInfinity;
  }
  return values;
}

TEST(LogitScan, TheFirstLargestIsThatOfALoop) {
  for (const std::size_t count : {1, 15, 63, 64, 65, 700}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::vector<float> logits = draws(count, seed, 20);
      std::size_t expected = 0;
      float largest = -kInfinity;
      for (std::size_t i = 0; i < count; ++i) {
        if (!(logits[i] > largest)) continue;
        largest = logits[i];
        expected = i;
      }
      ASSERT_EQ(first_largest(logits), expected) << count << " " << seed;
    }
  }
}

TEST(LogitScan, LogSumExpIsThatOfDoubles) {
  for (const std::size_t count : {1, 15, 16, 100, 5003}) {
    std::vector<float> logits = draws(count, count, 1000);
    for (float& logit : logits) logit = std::isfinite(logit) ? logit * 1.7f : -kInfinity;
    logits[0] = 2.5f;
    double sum = 0.0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    EXPECT_NEAR(log_sum_exp(logits), std::log(sum), 3e-7) << count;
  }
  EXPECT_EQ(log_sum_exp(std::vector<float>(5, -kInfinity)), -kInfinity);
}

TEST(LogitScan, TheBestAreThoseOfSorting) {
  for (const std::size_t size : {1, 64, 200, 5000}) {
    for (const int different : {3, 100000}) {
      const std::vector<float> logits = draws(size, 100 + size, different);
      std::vector<std::int32_t> order;
      for (std::size_t i = 0; i < size; ++i) {
        if (logits[i] > -kInfinity) order.push_back(static_cast<std::int32_t>(i));
      }
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
      });
      Candidates candidates(static_cast<std::int64_t>(size));
      for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{40}, size}) {
        candidates.select_best(logits, count);
        ASSERT_EQ(candidates.size(), std::min(count, order.size()));
        for (std::size_t i = 0; i < candidates.size(); ++i) {
          ASSERT_EQ(candidates.view()[i].token.value, order[i]) << size << " " << count;
        }
      }
    }
  }
}

TEST(TokenCounts, AreThoseOfAMap) {
  TokenCounts counts;
  counts.reserve(8);
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::map<std::int32_t, std::int32_t> expected;
    for (std::uint32_t i = 0; i < 10 * round; ++i) {
      const double draw = base::uniform_draw(round, 1, i, base::DrawPurpose::test);
      const auto token = static_cast<std::int32_t>(draw * 50) * 65536;
      ++counts[TokenId(token)];
      ++expected[token];
    }
    EXPECT_EQ(counts.entries().size(), expected.size());
    for (const auto& [token, count] : counts.entries()) {
      EXPECT_EQ(count, expected.at(token.value));
    }
    counts.clear();
    EXPECT_TRUE(counts.entries().empty());
  }
}

}  // namespace
}  // namespace cairn::engine
