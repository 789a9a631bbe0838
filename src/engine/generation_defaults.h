#pragma once
// How a model's makers want it sampled, as its files say.

#include <vector>

#include "checkpoint/checkpoint.h"
#include "schedule/sampling_parameters.h"

namespace cairn::engine {

/// `otherwise`, overwritten by GGUF's general.sampling.* or by generation_config.json. Throws
/// corrupt, naming file and key, for a value out of its range.
SamplingParameters sampling_defaults(const checkpoint::Checkpoint& checkpoint,
                                     std::int64_t vocabulary,
                                     const SamplingParameters& otherwise = {});

/// Token ids that end an answer by generation_config.json or config.json; empty for other files,
/// whose vocabulary says it.
std::vector<TokenId> configured_end_tokens(const checkpoint::Checkpoint& checkpoint,
                                           std::int64_t vocabulary);

}  // namespace cairn::engine
