// The sampler against tests/cases/sampling (tools/make_sampler_goldens.py), and what must hold for
// any logits: draws follow the distribution and depend on nothing but their key.

#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace cairn::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::string kFolder = CAIRN_SOURCE_DIR "/tests/cases/sampling/";

SamplingParameters everything_off() {
  SamplingParameters parameters;
  parameters.temperature = 1.0f;
  parameters.top_k = 0;
  parameters.top_p = 1.0f;
  parameters.min_p = 0.0f;
  return parameters;
}

struct Case {
  std::string name = {};
  mutable std::vector<float> logits = {};  // a draw changes them and puts them back
  std::vector<TokenId> history = {};
  SamplingParameters parameters = everything_off();
  std::map<std::int32_t, double> expected = {};

  SampleInput input(std::uint32_t position = 0, std::uint32_t choice_index = 0) const {
    return {logits, parameters, history, {}, choice_index, position};
  }
  Sampler sampler() const { return Sampler(static_cast<std::int64_t>(logits.size()), 256); }
};

void set_field(SamplingParameters& parameters, const std::string& name, float value) {
  using P = SamplingParameters;
  static const std::map<std::string, float P::*> kFloats = {
      {"temperature", &P::temperature},
      {"top_p", &P::top_p},
      {"min_p", &P::min_p},
      {"typical_p", &P::typical_p},
      {"top_n_sigma", &P::top_n_sigma},
      {"xtc_probability", &P::xtc_probability},
      {"xtc_threshold", &P::xtc_threshold},
      {"repetition_penalty", &P::repetition_penalty},
      {"frequency_penalty", &P::frequency_penalty},
      {"presence_penalty", &P::presence_penalty},
      {"dry_multiplier", &P::dry_multiplier},
      {"dry_base", &P::dry_base},
  };
  static const std::map<std::string, std::int32_t P::*> kCounts = {
      {"top_k", &P::top_k},
      {"min_keep", &P::min_keep},
      {"repeat_last_n", &P::repeat_last_n},
      {"dry_allowed_length", &P::dry_allowed_length},
      {"dry_penalty_last_n", &P::dry_penalty_last_n},
  };
  if (const auto found = kFloats.find(name); found != kFloats.end()) {
    parameters.*found->second = value;
  } else {
    parameters.*kCounts.at(name) = static_cast<std::int32_t>(value);
  }
}

std::vector<float> read_logits(const std::string& name) {
  std::ifstream file(kFolder + "logits_" + name + ".txt");
  std::vector<float> logits;
  for (std::string word; file >> word;) logits.push_back(std::stof(word));
  return logits;
}

std::vector<TokenId> read_tokens(std::istream& line) {
  std::vector<TokenId> tokens;
  for (std::int32_t id = 0; line >> id;) tokens.emplace_back(id);
  return tokens;
}

void read_line(const std::string& text, std::vector<Case>& cases) {
  std::istringstream line(text);
  std::string word;
  std::string name;
  std::string value;
  line >> word;
  if (word == "case") {
    cases.emplace_back().name = text;
    return;
  }
  Case& current = cases.back();
  if (word == "history") {
    current.history = read_tokens(line);
  } else if (word == "breaker") {
    std::vector<TokenId> tokens = read_tokens(line);
    auto table = std::make_shared<schedule::BreakerTable>();
    if (current.parameters.dry_breaker_table) *table = *current.parameters.dry_breaker_table;
    table->push_back({tokens.front(), {tokens.begin() + 1, tokens.end()}});
    std::ranges::sort(*table, {}, &schedule::BreakerSequence::head);
    current.parameters.dry_breaker_table = table;
  } else if (word == "logits") {
    line >> name;
    current.logits = read_logits(name);
  } else {
    line >> name >> value;
    if (word == "set") set_field(current.parameters, name, std::stof(value));
    if (word == "bias") {
      current.parameters.logit_bias.emplace_back(std::stoi(name), std::stof(value));
    }
    if (word == "expect") current.expected[std::stoi(name)] = std::stod(value);
  }
}

std::vector<Case> read_cases(const std::string& name) {
  std::ifstream file(kFolder + name + ".txt");
  std::vector<Case> cases;
  for (std::string text; std::getline(file, text);) read_line(text, cases);
  return cases;
}

class GoldenSampling : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, GoldenSampling,
                         testing::Values("temperature", "top_k", "top_p", "min_p", "typical_p",
                                         "top_n_sigma", "xtc", "penalties", "dry", "logit_bias",
                                         "chain"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(GoldenSampling, SurvivorsAndProbabilitiesAreThoseOfTheDefinition) {
  const std::vector<Case> cases = read_cases(GetParam());
  ASSERT_FALSE(cases.empty());
  for (const Case& golden : cases) {
    Sampler sampler = golden.sampler();
    const std::span<const Candidate> candidates = sampler.distribution(golden.input());
    EXPECT_EQ(candidates.size(), golden.expected.size()) << golden.name;
    for (const Candidate& candidate : candidates) {
      const auto expected = golden.expected.find(candidate.token.value);
      ASSERT_NE(expected, golden.expected.end()) << golden.name << " " << candidate.token.value;
      EXPECT_NEAR(candidate.probability, expected->second, 1e-6) << golden.name;
    }
  }
}

// One sampler for cases of all kinds gives what a fresh one gives: no state is left behind.
TEST(Sampler, KeepsNoStateBetweenDraws) {
  Sampler used(12, 256);
  std::vector<schedule::TokenLogprob> tops;
  for (const char* name : {"dry", "penalties", "xtc", "chain", "typical_p"}) {
    for (const Case& golden : read_cases(name)) {
      if (golden.logits.size() != 12) continue;
      Sampler fresh = golden.sampler();
      EXPECT_EQ(used.sample(golden.input(3), tops).token,
                fresh.sample(golden.input(3), tops).token);
    }
  }
}

// Pearson's statistic against the 99.99th percentile of its distribution (Wilson-Hilferty).
TEST(Sampler, DrawsFollowTheDistribution) {
  constexpr int kDraws = 100000;
  const std::vector<Case> cases = read_cases("chain");
  for (const std::size_t index : {0, 1, 2, 9, 10}) {
    const Case& golden = cases.at(index);
    Sampler sampler = golden.sampler();
    std::vector<schedule::TokenLogprob> tops;
    std::map<std::int32_t, int> counts;
    for (std::uint32_t position = 0; position < kDraws; ++position) {
      ++counts[sampler.sample(golden.input(position), tops).token.value];
    }
    double statistic = 0.0;
    for (const auto& [token, probability] : golden.expected) {
      const double mean = probability * kDraws;
      const double difference = counts[token] - mean;
      statistic += difference * difference / mean;
    }
    EXPECT_EQ(counts.size(), golden.expected.size()) << "drew what has no probability";
    const double freedom = static_cast<double>(golden.expected.size()) - 1.0;
    if (freedom == 0.0) continue;
    const double width = 2.0 / (9.0 * freedom);
    const double limit = freedom * std::pow(1.0 - width + 3.719 * std::sqrt(width), 3.0);
    EXPECT_LT(statistic, limit) << golden.name;
  }
}

TEST(Sampler, ADrawDependsOnItsKeyOnly) {
  Case example{.logits = std::vector<float>(1000, 0.0f)};
  example.parameters.seed = 42;
  Sampler a = example.sampler();
  Sampler b = example.sampler();
  std::vector<schedule::TokenLogprob> tops;
  int equal_choices = 0;
  int equal_positions = 0;
  for (std::uint32_t position = 0; position < 200; ++position) {
    const TokenId token = a.sample(example.input(position), tops).token;
    EXPECT_EQ(b.sample(example.input(position), tops).token, token);
    equal_choices += b.sample(example.input(position, 1), tops).token == token;
    equal_positions += b.sample(example.input(position + 1), tops).token == token;
  }
  EXPECT_LT(equal_choices, 5);  // 0.2 expected
  EXPECT_LT(equal_positions, 5);
}

TEST(Sampler, XtcActsAsOftenAsAsked) {
  Case example{.logits = {2.0f, 1.9f, 1.8f, 0.0f}};
  example.parameters.xtc_probability = 0.3f;
  Sampler sampler = example.sampler();
  int acted = 0;
  for (std::uint32_t position = 0; position < 10000; ++position) {
    acted += sampler.distribution(example.input(position)).size() == 2;
  }
  EXPECT_NEAR(acted, 3000, 200);  // over four standard deviations
}

TEST(Sampler, GreedyTakesTheLargestAndOfEqualOnesTheLowestId) {
  Case example{.logits = {1.0f, 5.0f, -2.0f, 5.0f, 5.0f}};
  example.parameters.temperature = 0.0f;
  Sampler sampler = example.sampler();
  std::vector<schedule::TokenLogprob> tops;
  EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(1));
  example.parameters.logit_bias = {{TokenId(1), -1.0f}};
  EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(3));
}

TEST(Sampler, ForbiddenTokensAreNeverDrawn) {
  Case example{.logits = {9.0f, 8.0f, 1.0f}};
  const std::vector<TokenId> forbidden = {TokenId(0), TokenId(1), TokenId(77), TokenId(-3)};
  Sampler sampler = example.sampler();
  std::vector<schedule::TokenLogprob> tops;
  SampleInput input{example.logits, example.parameters, {}, forbidden, 0, 0};
  EXPECT_EQ(sampler.sample(input, tops).token, TokenId(2));
}

TEST(Sampler, LogprobsAreThoseOfTheRawLogits) {
  Case example{.logits = {1.0f, 3.0f, 2.0f, -1.0f}};
  example.parameters.temperature = 0.0f;
  example.parameters.logit_bias = {{TokenId(2), 10.0f}};
  example.parameters.top_logprobs = 2;
  Sampler sampler = example.sampler();
  std::vector<schedule::TokenLogprob> tops;
  const SampledToken sampled = sampler.sample(example.input(), tops);
  const double normalizer =
      std::log(std::exp(1.0) + std::exp(3.0) + std::exp(2.0) + std::exp(-1.0));
  EXPECT_EQ(sampled.token, TokenId(2));
  EXPECT_NEAR(sampled.logprob, 2.0 - normalizer, 1e-6);
  ASSERT_EQ(tops.size(), 2u);
  EXPECT_EQ(tops[0].token, TokenId(1));
  EXPECT_NEAR(tops[0].logprob, 3.0 - normalizer, 1e-6);
  EXPECT_EQ(tops[1].token, TokenId(2));
}

TEST(Sampler, LogitsThatAreNoNumbersHarmNobody) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<schedule::TokenLogprob> tops;
  for (const float temperature : {0.0f, 0.8f}) {
    for (const std::int32_t top_k : {0, 2}) {
      Case example{.logits = {nan, 1.0f, -kInfinity, nan}};
      example.parameters.temperature = temperature;
      example.parameters.top_k = top_k;
      Sampler sampler = example.sampler();
      EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(1));
      example.logits = {nan, nan, nan, nan};
      EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(0));
      example.logits = {0.0f, kInfinity, 1.0f, nan};
      EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(1));
    }
  }
}

TEST(Sampler, SortingPartOfManyCandidatesIsSortingThem) {
  Case example;
  for (int i = 0; i < 5000; ++i) {
    example.logits.push_back(std::sin(static_cast<float>(i * i % 1009)));
  }
  example.parameters.top_p = 0.6f;
  Sampler sampler(5000, 16);
  const std::span<const Candidate> kept = sampler.distribution(example.input());
  std::vector<Candidate> candidates(kept.begin(), kept.end());
  Candidates reference(5000);
  reference.select_best(example.logits, candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ASSERT_EQ(candidates[i].token, reference.view()[i].token);
  }
}

TEST(Sampler, PutsTheLogitsBack) {
  for (const char* name : {"dry", "penalties", "logit_bias", "chain"}) {
    for (const Case& golden : read_cases(name)) {
      const std::vector<float> before = golden.logits;
      Sampler sampler = golden.sampler();
      std::vector<schedule::TokenLogprob> tops;
      sampler.sample(golden.input(), tops);
      const std::size_t bytes = before.size() * sizeof(float);
      EXPECT_EQ(std::memcmp(golden.logits.data(), before.data(), bytes), 0) << golden.name;
    }
  }
}

TEST(Penalties, LongestMatchesAreThoseOfComparingOneByOne) {
  for (int seed = 1; seed <= 50; ++seed) {
    std::vector<TokenId> history;
    history.reserve(40);
    for (int i = 0; i < 40; ++i) history.emplace_back((i * i * seed + i / 3) % 7 % 3);
    std::vector<std::int32_t> matches;
    longest_matches(history, matches);
    for (std::size_t k = 1; k < history.size(); ++k) {
      std::int32_t length = 0;
      while (k + static_cast<std::size_t>(length) < history.size() &&
             history[history.size() - 1 - static_cast<std::size_t>(length)] ==
                 history[history.size() - 1 - k - static_cast<std::size_t>(length)]) {
        ++length;
      }
      ASSERT_EQ(matches[k], length) << seed << " " << k;
    }
  }
}

TEST(Penalties, AHugeRepeatIsAPenaltyAndNoInfinity) {
  Case example{.logits = {0.0f, 0.0f}, .history = std::vector<TokenId>(200, TokenId(1))};
  example.parameters.dry_multiplier = 0.8f;
  example.parameters.dry_base = 50.0f;
  example.parameters.dry_penalty_last_n = -1;
  Sampler sampler = example.sampler();
  std::vector<schedule::TokenLogprob> tops;
  EXPECT_EQ(sampler.sample(example.input(), tops).token, TokenId(0));
}

}  // namespace
}  // namespace cairn::engine
