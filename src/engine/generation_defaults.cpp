#include "engine/generation_defaults.h"

#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "engine/sampling_validation.h"

namespace cairn::engine {
namespace {

using checkpoint::Metadata;

void overwrite(float& field, const Metadata& metadata, std::string_view key) {
  if (const auto value = metadata.number(key)) field = static_cast<float>(*value);
}

void overwrite(std::int32_t& field, const Metadata& metadata, std::string_view key) {
  const auto value = metadata.integer(key);
  if (!value) return;
  if (*value < std::numeric_limits<std::int32_t>::min() ||
      *value > std::numeric_limits<std::int32_t>::max()) {
    fail(ErrorKind::corrupt, "{}: {}: found {}, expected a 32-bit number", metadata.source(), key,
         *value);
  }
  field = static_cast<std::int32_t>(*value);
}

void overwrite_from_gguf(SamplingParameters& parameters, const Metadata& metadata) {
  overwrite(parameters.temperature, metadata, "general.sampling.temp");
  overwrite(parameters.top_k, metadata, "general.sampling.top_k");
  overwrite(parameters.top_p, metadata, "general.sampling.top_p");
  overwrite(parameters.min_p, metadata, "general.sampling.min_p");
  overwrite(parameters.xtc_probability, metadata, "general.sampling.xtc_probability");
  overwrite(parameters.xtc_threshold, metadata, "general.sampling.xtc_threshold");
  overwrite(parameters.repeat_last_n, metadata, "general.sampling.penalty_last_n");
  overwrite(parameters.repetition_penalty, metadata, "general.sampling.penalty_repeat");
}

/// null in JSON stands for "not set" and is absent here.
void overwrite_from_generation_config(SamplingParameters& parameters, const Metadata& metadata) {
  overwrite(parameters.temperature, metadata, "generation_config.temperature");
  overwrite(parameters.top_k, metadata, "generation_config.top_k");
  overwrite(parameters.top_p, metadata, "generation_config.top_p");
  overwrite(parameters.min_p, metadata, "generation_config.min_p");
  overwrite(parameters.typical_p, metadata, "generation_config.typical_p");
  if (metadata.number("generation_config.repetition_penalty")) {
    overwrite(parameters.repetition_penalty, metadata, "generation_config.repetition_penalty");
    parameters.repeat_last_n = SamplingParameters::kWholeHistory;  // as transformers applies it
  }
  const auto samples = metadata.boolean("generation_config.do_sample");
  if (samples && !*samples) parameters.temperature = 0;
}

void add_tokens(const Metadata& metadata, std::string_view key, std::int64_t vocabulary,
                std::vector<TokenId>& tokens) {
  const auto add = [&](std::int64_t id) {
    if (id < 0 || id >= vocabulary) {
      fail(ErrorKind::corrupt, "{}: {}: found token {}, expected 0 to {}", metadata.source(), key,
           id, vocabulary - 1);
    }
    tokens.emplace_back(static_cast<std::int32_t>(id));
  };
  const checkpoint::MetadataValue* const value = metadata.find(key);
  if (value == nullptr) return;
  if (std::holds_alternative<std::vector<std::int64_t>>(*value)) {
    for (const std::int64_t id : std::get<std::vector<std::int64_t>>(*value)) add(id);
  } else if (const auto id = metadata.integer(key)) {
    add(*id);
  }
}

}  // namespace

SamplingParameters sampling_defaults(const checkpoint::Checkpoint& checkpoint,
                                     std::int64_t vocabulary, const SamplingParameters& otherwise) {
  const Metadata& metadata = checkpoint.metadata();
  SamplingParameters parameters = otherwise;
  if (checkpoint.origin() == checkpoint::Origin::gguf) {
    overwrite_from_gguf(parameters, metadata);
  } else {
    overwrite_from_generation_config(parameters, metadata);
  }
  try {
    validate(parameters, vocabulary);
  } catch (const Error& error) {
    fail(ErrorKind::corrupt, "{}: the model's own sampling defaults are wrong: {}",
         metadata.source(), error.message());
  }
  return parameters;
}

std::vector<TokenId> configured_end_tokens(const checkpoint::Checkpoint& checkpoint,
                                           std::int64_t vocabulary) {
  std::vector<TokenId> tokens;
  if (checkpoint.origin() != checkpoint::Origin::hugging_face) return tokens;
  add_tokens(checkpoint.metadata(), "generation_config.eos_token_id", vocabulary, tokens);
  if (tokens.empty()) add_tokens(checkpoint.metadata(), "eos_token_id", vocabulary, tokens);
  return tokens;
}

}  // namespace cairn::engine
