#pragma once
// Whom a request tells what happens to it.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.h"

namespace cairn::schedule {

/// A token and its log-probability under the model's own distribution (before temperature,
/// penalties and bias).
struct TokenLogprob {
  TokenId token;
  float logprob = 0;
};

/// One token of a sequence, drawn or (with Request::prompt_logprobs) given.
struct TokenEvent {
  std::int32_t choice = 0;    // which of the request's sequences
  std::int32_t position = 0;  // of the token in its sequence; the prompt starts at 0
  std::int32_t index = 0;     // among the generated tokens, 0 = the first; -1: a prompt token
  TokenId token;
  bool ends = false;                  // a stop or end-of-generation token: no part of the text
  float logprob = 0;                  // only where logprobs were asked for
  std::span<const TokenLogprob> top;  // best first; empty unless asked for
};

enum class FinishReason {
  none,       // not finished
  stop,       // a stop token, or the observer met a stop string
  length,     // max_tokens, or the context is full
  cancelled,  // by the client
  deadline,   // Request::deadline passed
};

/// "stop", "length", ...
std::string_view name_of(FinishReason reason);

struct Usage {
  std::int32_t prompt_tokens = 0;
  std::int32_t cached_tokens = 0;     // of those, how many needed no computing
  std::int32_t generated_tokens = 0;  // the token that ended it included
};

struct FinishedEvent {
  std::int32_t choice = 0;
  FinishReason reason = FinishReason::none;
  Usage usage;
  float beam_score = 0;  // of a beam search: sum of log-probabilities / tokens ^ length_penalty
  bool last = true;      // all choices of the request are finished; nothing follows
};

enum class Next { go_on, stop };

/// Called by the thread that steps the core, inside a step and in the order of positions; must
/// return soon and not throw. Spans are valid during the call only. Lives until on_finished with
/// `last`.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  /// `stop` ends the sequence with this token (a stop string was met): FinishReason::stop.
  virtual Next on_token(const TokenEvent& event) = 0;

  /// The raw logits (after softcap and scale, before bias and penalties) computed at `position`:
  /// those that choose the token at position + 1. Only for positions >= Request::logits_from; comes
  /// before on_token of that token.
  virtual void on_logits(std::int32_t /*choice*/, std::int32_t /*position*/,
                         std::span<const float> /*logits [vocabulary]*/) {}

  /// Once for every choice, whatever happens.
  virtual void on_finished(const FinishedEvent& event) = 0;
};

}  // namespace cairn::schedule
