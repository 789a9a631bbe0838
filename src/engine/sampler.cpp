#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/random.h"
#include "engine/sampling_truncation.h"

namespace cairn::engine {
namespace {

using base::DrawPurpose;

double draw(const SampleInput& input, DrawPurpose purpose) {
  return base::uniform_draw(input.parameters.seed, input.choice_index, input.position, purpose);
}

void truncate(Candidates& candidates, const SampleInput& input) {
  const SamplingParameters& parameters = input.parameters;
  const auto min_keep = static_cast<std::size_t>(std::max(parameters.min_keep, 0));
  keep_typical(candidates, parameters.typical_p, min_keep);
  keep_nucleus(candidates, parameters.top_p, min_keep);
  keep_min_p(candidates, parameters.min_p, min_keep);
  if (parameters.xtc_probability > 0.0f &&
      draw(input, DrawPurpose::xtc) < parameters.xtc_probability) {
    exclude_top_choices(candidates, parameters.xtc_threshold, min_keep);
  }
}

/// log(sum(exp(logits))), summed in the order of ids.
double log_sum_exp(std::span<const float> logits) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float logit : logits) largest = std::max(largest, logit);
  if (!std::isfinite(largest)) return largest;
  double sum = 0.0;
  for (const float logit : logits) sum += static_cast<double>(std::exp(logit - largest));
  return largest + std::log(sum);
}

}  // namespace

Sampler::Sampler(std::int64_t vocabulary, std::int64_t context_tokens)
    : vocabulary_(vocabulary), penalties_(vocabulary, context_tokens), candidates_(vocabulary) {}

std::span<const Candidate> Sampler::distribution(const SampleInput& input) {
  const SamplingParameters& parameters = input.parameters;
  CHECK(input.logits.size() == static_cast<std::size_t>(vocabulary_), "{} logits",
        input.logits.size());
  const std::span<const float> logits =
      penalties_.adjust(input.logits, parameters, input.history, input.forbidden);
  if (parameters.greedy()) {
    candidates_.select_best(logits, 1);
    candidates_.normalize();
    return candidates_.view();
  }
  const float threshold = parameters.top_n_sigma > 0.0f
                              ? sigma_threshold(logits, parameters.top_n_sigma)
                              : Candidates::kAnyLogit;
  const auto best_count = static_cast<std::size_t>(std::max(parameters.top_k, 0));
  if (best_count > 0 && best_count < logits.size()) {
    candidates_.select_best(logits, best_count, threshold);
  } else {
    candidates_.select_all(logits, threshold);
  }
  truncate(candidates_, input);
  candidates_.normalize(parameters.temperature);
  return candidates_.view();
}

SampledToken Sampler::sample(const SampleInput& input, std::vector<schedule::TokenLogprob>& tops) {
  const std::span<const Candidate> candidates = distribution(input);
  SampledToken sampled;  // the lowest id, where there is no candidate
  const double target = candidates.size() > 1 ? draw(input, DrawPurpose::sample) : 0.0;
  double reached = 0.0;
  for (const Candidate& candidate : candidates) {
    if (candidate.probability <= 0.0) continue;
    sampled.token = candidate.token;  // the last one, if rounding leaves the sum below the target
    reached += candidate.probability;
    if (reached > target) break;
  }
  const std::int32_t top_count = input.parameters.top_logprobs;
  if (top_count >= 0) sampled.logprob = score(input.logits, sampled.token, top_count, tops);
  return sampled;
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
