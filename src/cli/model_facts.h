#pragma once
// What `cairn inspect` knows of a model without loading a weight.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "engine/memory_plan.h"
#include "models/model.h"
#include "text/vocabulary.h"

namespace cairn::cli {

struct FormatShare {
  std::string name;  // "Q4_1"
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
};

struct ModelFacts {
  std::string name;     // what the file calls the model, or empty
  std::string license;  // or empty
  std::string origin;   // "GGUF" or "Hugging Face folder"
  models::ModelShape shape;
  std::int64_t tensor_count = 0;
  std::int64_t tensor_bytes = 0;
  std::vector<FormatShare> formats;     // largest first
  std::int64_t kv_bytes_per_token = 0;  // while no window is full
  engine::MemoryPlan memory;
  std::string memory_text;
  std::string tokenizer;      // one line
  std::string chat_template;  // Jinja source, or empty
};

/// The plan is for options.context_tokens; 0: the smaller of the model's and what fits.
ModelFacts collect_facts(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options);

}  // namespace cairn::cli
