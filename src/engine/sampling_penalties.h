#pragma once
// What changes single logits before candidates are chosen: bias, forbidden tokens, and the
// penalties against repetition.

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "schedule/sampling_parameters.h"

namespace cairn::engine {

/// Scratch for one draw at a time. Not thread-safe.
class Penalties {
 public:
  Penalties(std::int64_t vocabulary, std::int64_t context_tokens);

  /// The logits to choose from: `logits` itself where nothing changes, else a copy that is valid
  /// until the next call. Ids outside the vocabulary are passed over.
  std::span<const float> adjust(std::span<const float> logits /*[vocabulary]*/,
                                const SamplingParameters& parameters,
                                std::span<const TokenId> history,
                                std::span<const TokenId> forbidden);

 private:
  void add_bias(const SamplingParameters& parameters, std::span<const TokenId> forbidden);
  void penalize_repetition(const SamplingParameters& parameters, std::span<const TokenId> history);
  void penalize_sequences(const SamplingParameters& parameters, std::span<const TokenId> history);
  float* logit_of(TokenId token);
  /// Sets seen_[token] to the larger of what it is and `value`; remembers the token to clear it.
  void raise_seen(TokenId token, std::int32_t value);
  void clear_seen();

  std::vector<float> adjusted_;
  std::vector<std::int32_t> seen_;     // [vocabulary], all 0 between calls
  std::vector<TokenId> seen_tokens_;   // those with seen_ > 0, each once
  std::vector<std::int32_t> matches_;  // longest_matches() of the history
};

// Exposed for tests:

/// DRY: for each k >= 1, how many tokens before the k-th last token equal, one by one, the last
/// tokens of `history` (0 for k = 0). `matches` gets history.size() values, k counting backwards.
void longest_matches(std::span<const TokenId> history, std::vector<std::int32_t>& matches);

/// DRY: the number of tokens at the end of `history` after its last breaker; all of them if none.
std::int32_t tokens_since_breaker(std::span<const TokenId> history,
                                  const schedule::BreakerTable* breakers);

}  // namespace cairn::engine
