#pragma once
// The ranges of sampling parameters, in one place for the command line, the HTTP API and files.

#include <cstdint>

#include "schedule/sampling_parameters.h"

namespace cairn::engine {

/// Throws invalid_argument naming the field, its value and the allowed range. `vocabulary` bounds
/// the ids of logit_bias and the number of top_logprobs.
void validate(const SamplingParameters& parameters, std::int64_t vocabulary);

}  // namespace cairn::engine
