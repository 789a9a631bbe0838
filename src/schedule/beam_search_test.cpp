#include "schedule/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn::schedule {
namespace {

/// Log-probabilities of three tokens after what was generated; token 2 ends.
using Model = std::map<std::vector<int>, std::vector<double>>;

class Search {
 public:
  Search(BeamSearchOptions options, std::int32_t most_tokens) {
    request_.beam_search = options;
    request_.end_tokens = {TokenId(2)};
    search_.emplace(request_, most_tokens);
    texts_.resize(static_cast<std::size_t>(options.width));
  }

  /// Runs to the end and returns the finished beams' tokens.
  std::vector<std::vector<int>> run(const Model& model) {
    while (!search_->over()) {
      for (std::size_t beam = 0; beam < texts_.size(); ++beam) offer(model, beam);
      search_->advance();
      ++steps;
      if (search_->over()) break;
      const std::vector<std::vector<int>> parents = texts_;
      for (std::size_t beam = 0; beam < texts_.size(); ++beam) {
        const BeamSearch::Move& move = search_->moves()[beam];
        texts_[beam] = parents[static_cast<std::size_t>(move.parent)];
        texts_[beam].push_back(move.token.value);
      }
    }
    std::vector<std::vector<int>> found;
    for (const BeamSearch::Hypothesis& beam : search_->finished()) {
      found.emplace_back();
      for (const TokenId token : beam.tokens) found.back().push_back(token.value);
    }
    return found;
  }
  const BeamSearch& search() const { return *search_; }
  int steps = 0;

 private:
  void offer(const Model& model, std::size_t beam) {
    const auto known = model.find(texts_[beam]);
    const std::vector<double> probabilities =
        known != model.end() ? known->second : std::vector<double>{0.5, 0.3, 0.2};
    std::vector<TokenLogprob> candidates;
    for (int token = 0; token < 3; ++token) {
      const double p = probabilities[static_cast<std::size_t>(token)];
      candidates.push_back({TokenId(token), static_cast<float>(std::log(p))});
    }
    std::ranges::stable_sort(candidates, std::greater<>(), &TokenLogprob::logprob);
    search_->offer(static_cast<std::int32_t>(beam), candidates);
  }

  Request request_;
  std::optional<BeamSearch> search_;
  std::vector<std::vector<int>> texts_;
};

/// The likeliest first token leads to nothing good.
const Model kTrap = {{{}, {0.5, 0.4, 0.1}},
                     {{0}, {0.4, 0.3, 0.3}},
                     {{1}, {0.05, 0.05, 0.9}},
                     {{0, 0}, {0.4, 0.3, 0.3}},
                     {{0, 1}, {0.4, 0.3, 0.3}}};

TEST(BeamSearch, FindsWhatGreedyMisses) {
  Search search({.width = 2, .length_penalty = 0}, 4);
  const auto found = search.run(kTrap);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (std::vector<int>{1, 2}));
  EXPECT_NEAR(search.search().finished()[0].score, std::log(0.4 * 0.9), 1e-6);
  EXPECT_TRUE(search.search().finished()[0].ends);
}

TEST(BeamSearch, OneBeamIsGreedy) {
  Search search({.width = 1}, 3);
  EXPECT_EQ(search.run(kTrap), (std::vector<std::vector<int>>{{0, 0, 0}}));
  EXPECT_FALSE(search.search().finished()[0].ends);
}

TEST(BeamSearch, TheLimitEndsAllBeams) {
  Search search({.width = 3}, 2);
  const auto found = search.run({});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(search.steps, 2);
  EXPECT_EQ(found[0], (std::vector<int>{0, 0}));
}

TEST(BeamSearch, EarlyStoppingEndsWithTheFirstFullSet) {
  const auto steps = [](EarlyStopping early_stopping, float length_penalty) {
    Search search({.width = 2, .length_penalty = length_penalty, .early_stopping = early_stopping},
                  12);
    // Ending is likely at once, and going on costs little per token.
    Model model;
    std::vector<int> text;
    for (int length = 0; length < 12; ++length) {
      model[text] = {0.55, 0.05, 0.4};
      text.push_back(0);
      model[text] = {0.9, 0.01, 0.09};
    }
    search.run(model);
    return search.steps;
  };
  EXPECT_LT(steps(EarlyStopping::yes, 1), steps(EarlyStopping::never, 1));
  EXPECT_LE(steps(EarlyStopping::no, 1), steps(EarlyStopping::never, 1));
  EXPECT_LE(steps(EarlyStopping::never, 0), steps(EarlyStopping::never, 2));
}

TEST(BeamSearch, ALongerTextGainsByTheLengthPenalty) {
  const Model model = {{{}, {0.6, 0.01, 0.39}}, {{0}, {0.8, 0.1, 0.1}}, {{0, 0}, {0.1, 0.1, 0.8}}};
  Search by_sum({.width = 2, .length_penalty = 0, .early_stopping = EarlyStopping::never}, 6);
  EXPECT_EQ(by_sum.run(model).front(), (std::vector<int>{2}));
  Search by_mean({.width = 2, .length_penalty = 1, .early_stopping = EarlyStopping::never}, 6);
  EXPECT_EQ(by_mean.run(model).front(), (std::vector<int>{0, 0, 2}));
}

TEST(BeamSearch, OfEqualSumsTheLowerBeamThenTheLowerTokenIsFirst) {
  Search search({.width = 2}, 2);
  const Model model = {{{}, {0.4, 0.4, 0.2}}, {{0}, {0.45, 0.45, 0.1}}, {{1}, {0.45, 0.45, 0.1}}};
  EXPECT_EQ(search.run(model), (std::vector<std::vector<int>>{{0, 0}, {0, 1}}));
}

TEST(BeamSearch, GoesOnWhereHardlyAnythingMayFollow) {
  Request request;
  request.beam_search = BeamSearchOptions{.width = 4};
  BeamSearch search(request, 3);
  const TokenLogprob only{TokenId(7), -1.0f};
  for (int step = 0; step < 3; ++step) {
    for (std::int32_t beam = 0; beam < 4; ++beam) search.offer(beam, {&only, 1});
    search.advance();
  }
  ASSERT_TRUE(search.over());
  EXPECT_EQ(search.finished().front().tokens.size(), 3u);
  EXPECT_FLOAT_EQ(search.finished().front().score, -1.0f);
}

}  // namespace
}  // namespace cairn::schedule
