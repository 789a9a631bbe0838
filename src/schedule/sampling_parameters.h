#pragma once
// How the next token is chosen, as plain data. Defaults are llama.cpp's; a model's own
// recommendation and then the request overwrite them. engine/sampling_validation.h checks the
// ranges named here; engine/sampler.h gives the fields their meaning.
//
// Order: logit bias -> penalties -> DRY -> top-n-sigma -> top-k -> typical-p -> top-p -> min-p ->
// XTC -> temperature -> draw.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace cairn::schedule {

/// A way to spell a DRY breaker: `head` is a token that contains the breaker or ends with its
/// beginning, `tail` the tokens of the rest (empty where head holds all of it).
struct BreakerSequence {
  TokenId head;
  std::vector<TokenId> tail;
};

/// Sorted by head. Built once per model and set of strings (engine/sampling_breakers.h), shared by
/// all requests that use them.
using BreakerTable = std::vector<BreakerSequence>;

struct SamplingParameters {
  static constexpr float kOff = 0.0f;
  static constexpr std::int32_t kWholeHistory = -1;

  float temperature = 0.8f;      // <= 0: greedy
  std::int32_t top_k = 40;       // <= 0: all
  float top_p = 0.95f;           // 1: off
  float min_p = 0.05f;           // 0: off
  float typical_p = 1.0f;        // 1: off
  float top_n_sigma = -1.0f;     // <= 0: off
  float xtc_probability = kOff;  // 0: off
  float xtc_threshold = 0.1f;    // above 0.5: off
  std::int32_t min_keep = 0;     // candidates that top-p, min-p, typical-p and XTC leave at least

  std::int32_t repeat_last_n = 64;  // tokens that the three penalties see; 0: off
  float repetition_penalty = 1.0f;  // 1: off
  float frequency_penalty = kOff;   // per occurrence
  float presence_penalty = kOff;    // once

  float dry_multiplier = kOff;  // 0: off
  float dry_base = 1.75f;
  std::int32_t dry_allowed_length = 2;
  std::int32_t dry_penalty_last_n = 64;  // tokens that DRY sees
  std::vector<std::string> dry_breakers = {"\n", ":", "\"", "*"};
  std::shared_ptr<const BreakerTable> dry_breaker_table =
      nullptr;  // dry_breakers in tokens; null: none

  std::vector<std::pair<TokenId, float>> logit_bias = {};  // added; -infinity forbids
  std::uint64_t seed = 0;
  bool ignore_eos = false;         // end-of-generation tokens are never chosen
  std::int32_t top_logprobs = -1;  // alternatives reported with each token; -1: no logprobs at all

  bool greedy() const { return temperature <= 0.0f; }
};

}  // namespace cairn::schedule

namespace cairn {
using schedule::SamplingParameters;
}
