#include "engine/sampling_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.h"

namespace cairn::engine {
namespace {

constexpr std::int32_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxBreakers = 64;
constexpr std::size_t kMaxBreakerBytes = 40;

template <class Number>
struct Field {
  std::string_view name;
  Number SamplingParameters::*value;
  Number lowest;
  Number highest;
};

constexpr Field<float> kFloatFields[] = {
    {"temperature", &SamplingParameters::temperature, 0.0f, 100.0f},
    {"top_p", &SamplingParameters::top_p, 0.0f, 1.0f},
    {"min_p", &SamplingParameters::min_p, 0.0f, 1.0f},
    {"typical_p", &SamplingParameters::typical_p, 0.0f, 1.0f},
    {"top_n_sigma", &SamplingParameters::top_n_sigma, -1.0f, 100.0f},
    {"xtc_probability", &SamplingParameters::xtc_probability, 0.0f, 1.0f},
    {"xtc_threshold", &SamplingParameters::xtc_threshold, 0.0f, 1.0f},
    {"repetition_penalty", &SamplingParameters::repetition_penalty, 0.01f, 100.0f},
    {"frequency_penalty", &SamplingParameters::frequency_penalty, -100.0f, 100.0f},
    {"presence_penalty", &SamplingParameters::presence_penalty, -100.0f, 100.0f},
    {"dry_multiplier", &SamplingParameters::dry_multiplier, 0.0f, 100.0f},
    {"dry_base", &SamplingParameters::dry_base, 1.0f, 100.0f},
};

constexpr Field<std::int32_t> kCountFields[] = {
    {"top_k", &SamplingParameters::top_k, -1, kMaxCount},
    {"min_keep", &SamplingParameters::min_keep, 0, kMaxCount},
    {"repeat_last_n", &SamplingParameters::repeat_last_n, -1, kMaxCount},
    {"dry_allowed_length", &SamplingParameters::dry_allowed_length, 1, kMaxCount},
    {"dry_penalty_last_n", &SamplingParameters::dry_penalty_last_n, -1, kMaxCount},
};

template <class Number>
void check_range(const Field<Number>& field, Number value) {
  // Written so that NaN fails.
  if (value >= field.lowest && value <= field.highest) return;
  fail(ErrorKind::invalid_argument, "{} is {}; expected {} to {}", field.name, value, field.lowest,
       field.highest);
}

void check_bias(const SamplingParameters& parameters, std::int64_t vocabulary) {
  constexpr float kForbid = -std::numeric_limits<float>::infinity();
  for (const auto& [token, bias] : parameters.logit_bias) {
    if (token.value < 0 || token.value >= vocabulary) {
      fail(ErrorKind::invalid_argument, "logit_bias names token {}; expected 0 to {}", token.value,
           vocabulary - 1);
    }
    if (std::isfinite(bias) || bias == kForbid) continue;
    fail(ErrorKind::invalid_argument,
         "logit_bias of token {} is {}; expected a finite number, or -inf to forbid it",
         token.value, bias);
  }
}

void check_breakers(const SamplingParameters& parameters) {
  if (parameters.dry_breakers.size() > kMaxBreakers) {
    fail(ErrorKind::invalid_argument, "dry_breakers has {} strings; expected at most {}",
         parameters.dry_breakers.size(), kMaxBreakers);
  }
  for (const std::string& breaker : parameters.dry_breakers) {
    if (!breaker.empty() && breaker.size() <= kMaxBreakerBytes) continue;
    fail(ErrorKind::invalid_argument, "dry_breakers has a string of {} bytes; expected 1 to {}",
         breaker.size(), kMaxBreakerBytes);
  }
}

}  // namespace

void validate(const SamplingParameters& parameters, std::int64_t vocabulary) {
  for (const Field<float>& field : kFloatFields) check_range(field, parameters.*field.value);
  for (const Field<std::int32_t>& field : kCountFields) {
    check_range(field, parameters.*field.value);
  }
  const auto most_tops = static_cast<std::int32_t>(std::min<std::int64_t>(vocabulary, kMaxCount));
  check_range({"top_logprobs", &SamplingParameters::top_logprobs, -1, most_tops},
              parameters.top_logprobs);
  check_bias(parameters, vocabulary);
  check_breakers(parameters);
}

}  // namespace cairn::engine
