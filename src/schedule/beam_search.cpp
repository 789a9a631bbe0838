#include "schedule/beam_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"

namespace cairn::schedule {
namespace {

/// What a beam loses that goes on though it has ended, since nothing else is left to go on with.
constexpr float kEnded = -1.0e9F;

std::vector<TokenId> end_tokens_of(const Request& request) {
  std::vector<TokenId> tokens = request.stop_tokens;
  if (!request.sampling.ignore_eos) {
    tokens.insert(tokens.end(), request.end_tokens.begin(), request.end_tokens.end());
  }
  std::ranges::sort(tokens, {}, &TokenId::value);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace

std::int32_t BeamSearch::candidate_count(const Request& request) {
  const auto ends = static_cast<std::int32_t>(end_tokens_of(request).size());
  return std::max(2, 1 + ends) * request.beam_search->width;
}

BeamSearch::BeamSearch(const Request& request, std::int32_t most_tokens)
    : options_(*request.beam_search),
      end_tokens_(end_tokens_of(request)),
      most_tokens_(most_tokens),
      candidate_count_(static_cast<std::size_t>(candidate_count(request))) {
  const auto width = static_cast<std::size_t>(options_.width);
  const auto length = static_cast<std::size_t>(most_tokens);
  beams_.resize(width);
  next_.resize(width);
  for (std::vector<Beam>* const beams : {&beams_, &next_}) {
    for (Beam& beam : *beams) {
      beam.tokens.reserve(length);
      beam.candidates.reserve(candidate_count_);
    }
  }
  candidates_.reserve(width * candidate_count_);
  moves_.reserve(width);
  finished_.reserve(width + 1);
}

void BeamSearch::offer(std::int32_t beam, std::span<const TokenLogprob> candidates) {
  Beam& own = beams_[static_cast<std::size_t>(beam)];
  CHECK(!own.has_offered, "beam {} offers twice", beam);
  const std::size_t count = std::min(candidates.size(), candidate_count_);
  own.candidates.assign(candidates.begin(),
                        candidates.begin() + static_cast<std::ptrdiff_t>(count));
  own.has_offered = true;
  ++offered_;
}

bool BeamSearch::has_offered(std::int32_t beam) const {
  return beams_[static_cast<std::size_t>(beam)].has_offered;
}

void BeamSearch::advance() {
  CHECK(ready() && !over_, "{} of {} beams", offered_, options_.width);
  ++generated_;
  collect();
  finish_candidates();
  const bool all_stop = std::ranges::all_of(candidates_, &Candidate::stops);
  const bool is_full = finished_.size() == beams_.size();
  if (!all_stop) move_beams();
  over_ = all_stop || (is_full && options_.early_stopping == EarlyStopping::yes) || !can_improve();
}

void BeamSearch::collect() {
  candidates_.clear();
  for (std::size_t index = 0; index < beams_.size(); ++index) {
    const Beam& beam = beams_[index];
    for (const auto& [token, logprob] : beam.candidates) {
      const bool ends = is_end(token);
      candidates_.push_back({beam.sum + logprob, static_cast<std::int32_t>(index), token, ends,
                             ends || generated_ == most_tokens_});
    }
    if (generated_ == 1) break;  // all beams are the prompt
  }
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    if (a.sum != b.sum) return a.sum > b.sum;
    return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
  });
  if (candidates_.size() > candidate_count_) candidates_.resize(candidate_count_);
}

void BeamSearch::finish_candidates() {
  if (finished_.size() == beams_.size() && options_.early_stopping == EarlyStopping::yes) return;
  const std::size_t first = std::min(candidates_.size(), beams_.size());
  for (std::size_t rank = 0; rank < first; ++rank) {
    const Candidate& candidate = candidates_[rank];
    if (candidate.stops) keep(candidate, score_of(candidate.sum, generated_));
  }
}

void BeamSearch::keep(const Candidate& candidate, float score) {
  const auto place =
      std::ranges::upper_bound(finished_, score, std::greater<>(), &Hypothesis::score);
  Hypothesis hypothesis{beams_[static_cast<std::size_t>(candidate.parent)].tokens, score,
                        candidate.ends};
  hypothesis.tokens.push_back(candidate.token);
  finished_.insert(place, std::move(hypothesis));
  if (finished_.size() > beams_.size()) finished_.pop_back();
}

void BeamSearch::move_beams() {
  moves_.clear();
  const auto take = [&](const Candidate& candidate, float loss) {
    if (moves_.size() == beams_.size()) return;
    const Beam& parent = beams_[static_cast<std::size_t>(candidate.parent)];
    Beam& beam = next_[moves_.size()];
    beam.tokens = parent.tokens;
    beam.tokens.push_back(candidate.token);
    beam.sum = candidate.sum + loss;
    beam.candidates.clear();
    beam.has_offered = false;
    moves_.push_back({candidate.parent, candidate.token});
  };
  for (const Candidate& candidate : candidates_) {
    if (!candidate.stops) take(candidate, 0);
  }
  for (const Candidate& candidate : candidates_) {
    if (candidate.stops) take(candidate, kEnded);
  }
  while (moves_.size() < beams_.size()) take(candidates_.back(), kEnded);
  std::swap(beams_, next_);
  offered_ = 0;
}

bool BeamSearch::can_improve() const {
  if (finished_.size() < beams_.size()) return true;
  const bool any_length =
      options_.early_stopping == EarlyStopping::never && options_.length_penalty > 0;
  const float best = score_of(beams_.front().sum, any_length ? most_tokens_ : generated_);
  return best > finished_.back().score;
}

float BeamSearch::score_of(float sum, std::int32_t token_count) const {
  const double divisor = std::pow(token_count, static_cast<double>(options_.length_penalty));
  return sum / static_cast<float>(divisor);
}

bool BeamSearch::is_end(TokenId token) const {
  return std::ranges::binary_search(end_tokens_, token.value, {}, &TokenId::value);
}

}  // namespace cairn::schedule
