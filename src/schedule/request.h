#pragma once
// What a client asks for: one prompt and 1..n continuations of it. Plain data.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "schedule/beam_search_options.h"
#include "schedule/request_observer.h"
#include "schedule/sampling_parameters.h"

namespace cairn::schedule {

struct Request {
  static constexpr std::int32_t kNoLogits = std::numeric_limits<std::int32_t>::max();

  RequestId id;                   // given by submit()
  std::vector<TokenId> prompt;    // not empty
  std::int32_t choice_count = 1;  // sequences that continue the prompt
  SamplingParameters sampling;

  /// Tokens to generate per choice; 0: the prompt is computed and nothing is drawn; absent: until
  /// the context is full. prompt + max_tokens beyond the context is refused.
  std::optional<std::int32_t> max_tokens;
  std::int32_t min_tokens = 0;      // until then no end or stop token is drawn
  std::vector<TokenId> end_tokens;  // the model's end of generation; sampling.ignore_eos hides them
  std::vector<TokenId> stop_tokens;  // the client's

  std::int32_t logits_from = kNoLogits;  // on_logits for positions from here on, prompt included
  bool prompt_logprobs = false;  // on_token for prompt tokens too, with sampling.top_logprobs

  /// Instead of drawing: the best choice_count of its beams are the choices, told when all is over.
  std::optional<BeamSearchOptions> beam_search = {};

  std::int32_t priority = 0;     // higher is more urgent; used by orders that know priorities
  std::uint64_t cache_salt = 0;  // KV is shared only between requests of equal salt
  std::optional<base::TimePoint> deadline;

  RequestObserver* observer = nullptr;  // may be null
};

}  // namespace cairn::schedule

namespace cairn {
using schedule::Request;
}
