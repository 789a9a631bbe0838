#pragma once
// What changes single logits before candidates are chosen: bias, forbidden tokens, and the
// penalties against repetition.

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "engine/token_counts.h"
#include "schedule/sampling_parameters.h"

namespace cairn::engine {

/// Changes logits in place and puts them back: what a draw costs depends on its history, not on the
/// vocabulary. Not thread-safe.
class Penalties {
 public:
  explicit Penalties(std::int64_t context_tokens);

  /// Ids outside the vocabulary are passed over. What a penalty multiplies is logit - origin: 0, or
  /// log(sum(exp(logits))) where it is to act on log-probabilities.
  void apply(std::span<float> logits /*[vocabulary]*/, const SamplingParameters& parameters,
             std::span<const TokenId> history, std::span<const TokenId> forbidden,
             float origin = 0);
  /// The logits of the last apply() as they were before, bit for bit.
  void undo();

 private:
  struct Change {
    TokenId token;
    float before;
  };
  void add_bias(const SamplingParameters& parameters, std::span<const TokenId> forbidden);
  void penalize_repetition(const SamplingParameters& parameters, std::span<const TokenId> history,
                           float origin);
  void penalize_sequences(const SamplingParameters& parameters, std::span<const TokenId> history);
  bool is_known(TokenId token) const;
  /// Remembers what the token's logit is.
  float& changing(TokenId token);

  std::span<float> logits_;
  std::vector<Change> changes_;        // in order
  TokenCounts seen_;                   // of one rule at a time
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
