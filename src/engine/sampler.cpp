#include "engine/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/random.h"
#include "engine/logit_scan.h"
#include "engine/sampling_truncation.h"

namespace cairn::engine {
namespace {

using base::DrawPurpose;

double draw(const SampleInput& input, DrawPurpose purpose) {
  return base::uniform_draw(input.parameters.seed, input.choice_index, input.position, purpose);
}

std::size_t min_keep_of(const SamplingParameters& parameters) {
  return static_cast<std::size_t>(std::max(parameters.min_keep, 0));
}

/// Without top-k: what is left of all logits where one rule that drops most of them can be applied
/// while they are looked at. True if top-p is done with.
bool select_of_all(Candidates& candidates, std::span<const float> logits, float threshold,
                   const SamplingParameters& parameters) {
  const std::size_t min_keep = min_keep_of(parameters);
  const bool is_typical = parameters.typical_p < 1.0f;
  const bool is_nucleus = parameters.top_p < 1.0f;
  if (is_nucleus && !is_typical && threshold == Candidates::kAnyLogit &&
      candidates.select_nucleus(logits, parameters.top_p, min_keep)) {
    return true;
  }
  if (!is_nucleus && !is_typical && parameters.min_p > 0.0f && min_keep <= 1) {
    threshold = std::max(threshold, largest_logit(logits) + std::log(parameters.min_p));
  }
  candidates.select_all(logits, threshold);
  return false;
}

void truncate(Candidates& candidates, const SampleInput& input, bool is_nucleus) {
  const SamplingParameters& parameters = input.parameters;
  const std::size_t min_keep = min_keep_of(parameters);
  keep_typical(candidates, parameters.typical_p, min_keep);
  if (!is_nucleus) keep_nucleus(candidates, parameters.top_p, min_keep);
  keep_min_p(candidates, parameters.min_p, min_keep);
  if (parameters.xtc_probability > 0.0f &&
      draw(input, DrawPurpose::xtc) < parameters.xtc_probability) {
    exclude_top_choices(candidates, parameters.xtc_threshold, min_keep);
  }
}

}  // namespace

Sampler::Sampler(std::int64_t vocabulary, std::int64_t context_tokens)
    : vocabulary_(vocabulary), penalties_(context_tokens), candidates_(vocabulary) {}

void Sampler::select(std::span<const float> logits, const SampleInput& input) {
  const SamplingParameters& parameters = input.parameters;
  if (parameters.greedy()) return candidates_.select_best(logits, 1);
  const float threshold = parameters.top_n_sigma > 0.0f
                              ? sigma_threshold(logits, parameters.top_n_sigma)
                              : Candidates::kAnyLogit;
  const auto best_count = static_cast<std::size_t>(std::max(parameters.top_k, 0));
  bool is_nucleus = false;
  if (best_count > 0 && best_count < logits.size()) {
    candidates_.select_best(logits, best_count, threshold);
  } else {
    is_nucleus = select_of_all(candidates_, logits, threshold, parameters);
  }
  truncate(candidates_, input, is_nucleus);
}

std::span<const Candidate> Sampler::distribution(const SampleInput& input) {
  CHECK(input.logits.size() == static_cast<std::size_t>(vocabulary_), "{} logits",
        input.logits.size());
  penalties_.apply(input.logits, input.parameters, input.history, input.forbidden);
  select(input.logits, input);
  penalties_.undo();
  candidates_.normalize(input.parameters.greedy() ? 1.0f : input.parameters.temperature);
  return candidates_.view();
}

TokenId Sampler::choose(const SampleInput& input) {
  if (input.parameters.greedy()) {
    penalties_.apply(input.logits, input.parameters, input.history, input.forbidden);
    const auto best = static_cast<std::int32_t>(first_largest(input.logits));
    penalties_.undo();
    return TokenId(best);
  }
  const std::span<const Candidate> candidates = distribution(input);
  const double target = candidates.size() > 1 ? draw(input, DrawPurpose::sample) : 0.0;
  double reached = 0.0;
  TokenId chosen;  // the lowest id, where there is no candidate
  for (const Candidate& candidate : candidates) {
    if (candidate.probability <= 0.0) continue;
    chosen = candidate.token;  // the last one, if rounding leaves the sum below the target
    reached += candidate.probability;
    if (reached > target) break;
  }
  return chosen;
}

SampledToken Sampler::sample(const SampleInput& input, std::vector<schedule::TokenLogprob>& tops) {
  SampledToken sampled{choose(input)};
  const std::int32_t top_count = input.parameters.top_logprobs;
  if (top_count >= 0) sampled.logprob = score(input.logits, sampled.token, top_count, tops);
  return sampled;
}

void Sampler::rank(const SampleInput& input, std::size_t count,
                   std::vector<schedule::TokenLogprob>& tops) {
  const double normalizer = log_sum_exp(input.logits);
  penalties_.apply(input.logits, input.parameters, input.history, input.forbidden,
                   static_cast<float>(normalizer));
  candidates_.select_best(input.logits, count);
  penalties_.undo();
  for (const Candidate& candidate : candidates_.view()) {
    tops.push_back({candidate.token, static_cast<float>(candidate.logit - normalizer)});
  }
}

float Sampler::score(std::span<const float> logits, TokenId token, std::int32_t top_count,
                     std::vector<schedule::TokenLogprob>& tops) {
  const double normalizer = log_sum_exp(logits);
  const auto logprob = [normalizer](float logit) { return static_cast<float>(logit - normalizer); };
  candidates_.select_best(logits, static_cast<std::size_t>(std::max(top_count, 0)));
  for (const Candidate& candidate : candidates_.view()) {
    tops.push_back({candidate.token, logprob(candidate.logit)});
  }
  return logprob(logits[static_cast<std::size_t>(token.value)]);
}

}  // namespace cairn::engine
