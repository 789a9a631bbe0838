// Without top-k, rules are applied while all logits are looked at. What is left is bit for bit what
// the rules leave one after the other.

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "engine/sampler.h"
#include "engine/sampling_truncation.h"

namespace cairn::engine {
namespace {

/// The rules as the header of each says, on an array of all logits.
std::vector<Candidate> defined(std::span<const float> logits, const SamplingParameters& rules) {
  Candidates candidates(static_cast<std::int64_t>(logits.size()));
  const auto min_keep = static_cast<std::size_t>(rules.min_keep);
  candidates.select_all(logits);
  keep_nucleus(candidates, rules.top_p, min_keep);
  keep_min_p(candidates, rules.min_p, min_keep);
  candidates.normalize(rules.temperature);
  return {candidates.view().begin(), candidates.view().end()};
}

std::vector<float> random_logits(std::size_t count, float deviation, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution(0.0f, deviation);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = distribution(generator);
  return logits;
}

void expect_as_defined(std::vector<float> logits, const SamplingParameters& rules) {
  Sampler sampler(static_cast<std::int64_t>(logits.size()), 16);
  const std::vector<Candidate> expected = defined(logits, rules);
  const std::span<const Candidate> found = sampler.distribution({logits, rules, {}, {}});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(found[i].token, expected[i].token) << i;
    ASSERT_EQ(found[i].logit, expected[i].logit) << i;
    ASSERT_EQ(found[i].probability, expected[i].probability) << i;
  }
}

SamplingParameters rules_of(float top_p, float min_p, std::int32_t min_keep) {
  return {.temperature = 0.7f, .top_k = 0, .top_p = top_p, .min_p = min_p, .min_keep = min_keep};
}

TEST(SamplingOfAll, EqualsTheRulesOneAfterTheOther) {
  std::uint32_t seed = 0;
  for (const std::size_t count : {1U, 63U, 1000U, 50'000U}) {
    for (const float deviation : {0.5f, 3.0f, 9.0f}) {
      const std::vector<float> logits = random_logits(count, deviation, ++seed);
      for (const float top_p : {0.0f, 0.3f, 0.9f, 0.999f, 1.0f}) {
        for (const float min_p : {0.0f, 0.05f, 1.0f}) {
          for (const std::int32_t min_keep : {0, 1, 3}) {
            SCOPED_TRACE(testing::Message()
                         << count << " logits, deviation " << deviation << ", top_p " << top_p
                         << ", min_p " << min_p << ", min_keep " << min_keep);
            expect_as_defined(logits, rules_of(top_p, min_p, min_keep));
          }
        }
      }
    }
  }
}

TEST(SamplingOfAll, EqualLogitsAndNoNumbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> holes = random_logits(500, 6.0f, 77);
  for (std::size_t i = 0; i < holes.size(); i += 3) holes[i] = i % 2 == 0 ? -infinity : nan;
  const std::vector<std::vector<float>> cases = {std::vector<float>(300, 1.5f),
                                                 std::vector<float>(300, -infinity),
                                                 std::vector<float>(300, nan), holes};
  for (const std::vector<float>& logits : cases) {
    for (const float top_p : {0.5f, 1.0f}) {
      for (const float min_p : {0.0f, 0.1f}) expect_as_defined(logits, rules_of(top_p, min_p, 0));
    }
  }
}

// Half of the probability exactly: too near for sums that are not.
TEST(SamplingOfAll, AMassThatIsReachedExactly) {
  for (const float top_p : {0.25f, 0.5f, 0.75f}) {
    expect_as_defined(std::vector<float>(4, 2.0f), rules_of(top_p, 0.0f, 0));
    expect_as_defined(std::vector<float>(256, 2.0f), rules_of(top_p, 0.0f, 0));
  }
}

}  // namespace
}  // namespace cairn::engine
