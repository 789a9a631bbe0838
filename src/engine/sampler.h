#pragma once
// Chooses the next token: a pure function of logits, parameters, history and the draw's key
// (invariant N3), so a request gets the same tokens in any company.
//
//   logits -> bias -> penalties -> DRY      change some logits (sampling_penalties.h)
//          -> top-n-sigma -> top-k          choose the candidates
//          -> typical-p -> top-p -> min-p -> XTC    drop some of them (sampling_truncation.h)
//          -> temperature -> draw
//
// Temperature 0 is the largest changed logit, whatever the rules that drop candidates say.

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "engine/sampling_candidates.h"
#include "engine/sampling_penalties.h"
#include "schedule/request_observer.h"
#include "schedule/sampling_parameters.h"

namespace cairn::engine {

struct SampleInput {
  std::span<float> logits;  // [vocabulary], as the model gave them; so again after the call
  const SamplingParameters& parameters;
  std::span<const TokenId> history;    // prompt and what was generated, oldest first
  std::span<const TokenId> forbidden;  // e.g. end tokens until min_tokens are there
  std::uint32_t choice_index = 0;
  std::uint32_t position = 0;  // of the token that is drawn
};

struct SampledToken {
  TokenId token;
  float logprob = 0.0f;  // under the model's own distribution; 0 unless top_logprobs >= 0
};

/// Holds scratch memory only, taken once: after construction nothing allocates except for `tops`.
/// Greedy and top-k draws, and those of top-p and min-p where few tokens are left, touch the logits
/// and little else: no array over the vocabulary is filled.
/// Not thread-safe; any number of samplers give the same tokens.
class Sampler {
 public:
  /// Histories longer than context_tokens allocate.
  Sampler(std::int64_t vocabulary, std::int64_t context_tokens);

  /// REQUIRES: valid parameters (sampling_validation.h), logits of the vocabulary's size. Appends
  /// parameters.top_logprobs alternatives, best first, to `tops`. Where every token is forbidden or
  /// no logit is a number, the token is the lowest id.
  SampledToken sample(const SampleInput& input, std::vector<schedule::TokenLogprob>& tops);

  /// For beams: the `count` best tokens by log-probability after bias and penalties (which act on
  /// log-probabilities), appended to `tops`, best first. Nothing is drawn.
  void rank(const SampleInput& input, std::size_t count, std::vector<schedule::TokenLogprob>& tops);

  /// The candidates just before the draw, with their probabilities; valid until the next call. For
  /// temperature 0 the one of the largest logit.
  std::span<const Candidate> distribution(const SampleInput& input);

  /// The log-probability of a given token and, appended to `tops`, the `top_count` best ones.
  float score(std::span<const float> logits /*[vocabulary]*/, TokenId token, std::int32_t top_count,
              std::vector<schedule::TokenLogprob>& tops);

 private:
  void select(std::span<const float> logits, const SampleInput& input);
  TokenId choose(const SampleInput& input);

  std::int64_t vocabulary_;
  Penalties penalties_;
  Candidates candidates_;
};

}  // namespace cairn::engine
