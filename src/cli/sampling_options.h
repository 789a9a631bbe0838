#pragma once
// The sampling flags that run and chat share. Only a flag that was given changes the model's own
// default.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schedule/sampling_parameters.h"

namespace CLI {
class App;
}

namespace cairn::text {
class Tokenizer;
}

namespace cairn::cli {

struct SamplingOptions {
  std::vector<std::function<void(SamplingParameters&)>> changes;  // by the flags, in their order
  std::vector<std::string> logit_bias;                            // "token id:bias"
  bool seed_given = false;
  std::vector<std::string> stop_strings;
};

/// `options` must live until the command has run.
void add_sampling_options(CLI::App& command, SamplingOptions& options);

/// The model's defaults with the flags over them. Without --seed, a random one. Throws
/// invalid_argument naming the flag.
SamplingParameters sampling_parameters(const SamplingParameters& defaults,
                                       const SamplingOptions& options,
                                       const text::Tokenizer& tokenizer);

}  // namespace cairn::cli
