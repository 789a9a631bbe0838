#include "engine/sampling_penalties.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::engine {
namespace {

using schedule::BreakerSequence;
using schedule::BreakerTable;

/// The last `count` tokens; all where count is negative.
std::span<const TokenId> window_of(std::span<const TokenId> history, std::int32_t count) {
  if (count < 0) return history;
  return history.last(std::min(history.size(), static_cast<std::size_t>(count)));
}

bool penalizes_repetition(const SamplingParameters& parameters) {
  return parameters.repeat_last_n != 0 &&
         (parameters.repetition_penalty != 1.0f || parameters.frequency_penalty != 0.0f ||
          parameters.presence_penalty != 0.0f);
}

bool penalizes_sequences(const SamplingParameters& parameters) {
  return parameters.dry_multiplier != 0.0f && parameters.dry_base >= 1.0f &&
         parameters.dry_penalty_last_n != 0;
}

/// multiplier * base^excess; the exponent stops where a float would overflow.
float sequence_penalty(const SamplingParameters& parameters, std::int32_t excess) {
  const double base = parameters.dry_base;
  const double largest_exponent =
      base > 1.0 ? std::log(static_cast<double>(std::numeric_limits<float>::max())) / std::log(base)
                 : excess;
  const double exponent = std::min<double>(excess, std::floor(largest_exponent));
  return static_cast<float>(parameters.dry_multiplier * std::pow(base, exponent));
}

std::span<const BreakerSequence> spellings_from(TokenId head, const BreakerTable& breakers) {
  const auto first = std::ranges::lower_bound(breakers, head, {}, &BreakerSequence::head);
  const auto last = std::ranges::upper_bound(breakers, head, {}, &BreakerSequence::head);
  return {first, last};
}

bool is_breaker(TokenId token, const BreakerTable* breakers) {
  return breakers != nullptr &&
         std::ranges::any_of(spellings_from(token, *breakers),
                             [](const BreakerSequence& sequence) { return sequence.tail.empty(); });
}

/// Whether `tail` follows the token that stands `distance` before the end of `history`.
bool follows(std::span<const TokenId> history, std::size_t distance,
             const std::vector<TokenId>& tail) {
  if (tail.size() > distance) return false;
  return std::ranges::equal(tail, history.last(distance).first(tail.size()));
}

}  // namespace

void longest_matches(std::span<const TokenId> history, std::vector<std::int32_t>& matches) {
  // The Z-function of the history read backwards (Gusfield, "Algorithms on Strings, Trees, and
  // Sequences", 1.3): [left, right) is the match that reaches farthest.
  const auto count = static_cast<std::int32_t>(history.size());
  const auto at = [&](std::int32_t k) { return history[static_cast<std::size_t>(count - 1 - k)]; };
  matches.assign(history.size(), 0);
  std::int32_t left = 0;
  std::int32_t right = 0;
  for (std::int32_t k = 1; k < count; ++k) {
    std::int32_t length = 0;
    if (k < right) {
      length = std::min(right - k, matches[static_cast<std::size_t>(k - left)]);
    }
    while (k + length < count && at(length) == at(k + length)) ++length;
    if (k + length > right) {
      left = k;
      right = k + length;
    }
    matches[static_cast<std::size_t>(k)] = length;
  }
}

std::int32_t tokens_since_breaker(std::span<const TokenId> history, const BreakerTable* breakers) {
  if (breakers == nullptr) return static_cast<std::int32_t>(history.size());
  for (std::size_t distance = 0; distance < history.size(); ++distance) {
    const TokenId head = history[history.size() - 1 - distance];
    std::size_t longest_tail = 0;
    bool found = false;
    for (const BreakerSequence& sequence : spellings_from(head, *breakers)) {
      if (!follows(history, distance, sequence.tail)) continue;
      found = true;
      longest_tail = std::max(longest_tail, sequence.tail.size());
    }
    if (found) return static_cast<std::int32_t>(distance - longest_tail);
  }
  return static_cast<std::int32_t>(history.size());
}

Penalties::Penalties(std::int64_t context_tokens) {
  const auto context = static_cast<std::size_t>(context_tokens);
  seen_.reserve(context);
  changes_.reserve(2 * context);  // one for each of two rules
  matches_.reserve(context);
}

void Penalties::apply(std::span<float> logits, const SamplingParameters& parameters,
                      std::span<const TokenId> history, std::span<const TokenId> forbidden,
                      float origin) {
  logits_ = logits;
  changes_.clear();
  add_bias(parameters, forbidden);
  if (penalizes_repetition(parameters)) {
    penalize_repetition(parameters, window_of(history, parameters.repeat_last_n), origin);
  }
  if (penalizes_sequences(parameters)) {
    penalize_sequences(parameters, window_of(history, parameters.dry_penalty_last_n));
  }
}

void Penalties::undo() {
  for (; !changes_.empty(); changes_.pop_back()) {
    logits_[static_cast<std::size_t>(changes_.back().token.value)] = changes_.back().before;
  }
}

bool Penalties::is_known(TokenId token) const {
  return static_cast<std::size_t>(token.value) < logits_.size();  // negative ids become too large
}

float& Penalties::changing(TokenId token) {
  float& logit = logits_[static_cast<std::size_t>(token.value)];
  changes_.push_back({token, logit});
  return logit;
}

void Penalties::add_bias(const SamplingParameters& parameters, std::span<const TokenId> forbidden) {
  for (const auto& [token, bias] : parameters.logit_bias) {
    if (is_known(token)) changing(token) += bias;
  }
  for (const TokenId token : forbidden) {
    if (is_known(token)) changing(token) = -std::numeric_limits<float>::infinity();
  }
}

void Penalties::penalize_repetition(const SamplingParameters& parameters,
                                    std::span<const TokenId> history, float origin) {
  for (const TokenId token : history) {
    if (is_known(token)) ++seen_[token];
  }
  for (const auto& [token, count] : seen_.entries()) {
    float& logit = changing(token);
    const float value = logit - origin;
    // Dividing a negative value would make the token likelier.
    logit = value <= 0.0f ? value * parameters.repetition_penalty
                          : value / parameters.repetition_penalty;
    logit += origin;
    logit -= static_cast<float>(count) * parameters.frequency_penalty + parameters.presence_penalty;
  }
  seen_.clear();
}

void Penalties::penalize_sequences(const SamplingParameters& parameters,
                                   std::span<const TokenId> history) {
  const BreakerTable* breakers = parameters.dry_breaker_table.get();
  const std::int32_t limit = tokens_since_breaker(history, breakers);
  if (limit < parameters.dry_allowed_length) return;
  longest_matches(history, matches_);
  for (std::size_t k = 1; k < history.size(); ++k) {
    const std::int32_t length = std::min(matches_[k], limit);
    if (length < parameters.dry_allowed_length) continue;
    // The token that followed the earlier occurrence would make the repeat longer.
    const TokenId continuation = history[history.size() - k];
    if (!is_known(continuation)) continue;
    std::int32_t& longest = seen_[continuation];
    longest = std::max(longest, length);
  }
  for (const auto& [token, length] : seen_.entries()) {
    if (is_breaker(token, breakers)) continue;
    changing(token) -= sequence_penalty(parameters, length - parameters.dry_allowed_length);
  }
  seen_.clear();
}

}  // namespace cairn::engine
