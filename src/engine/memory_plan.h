#pragma once
// The byte plan of invariant M1: made before weights are loaded, printed, and refused if it does
// not fit.

#include <cstdint>
#include <string>

#include "engine/engine_options.h"

namespace cairn::models {
class Model;
}

namespace cairn::engine {

/// What a process may still take: MemAvailable, cut by what its cgroups leave. Bytes.
std::int64_t available_memory_bytes();

struct MemoryPlan {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;          // all page groups
  std::int64_t activation_bytes = 0;  // workspace and logits
  std::int64_t context_tokens = 0;
  std::int64_t kv_tokens = 0;
  std::int64_t total_bytes() const { return weight_bytes + kv_bytes + activation_bytes; }
};

/// Bytes that one more position costs while its sequence is short (windows not yet full).
std::int64_t kv_bytes_per_token(const models::Model& model, const EngineOptions& options);

/// `options.context_tokens` 0 becomes the smaller of the model's context and the largest that fits
/// into available_bytes. The plan is not checked.
MemoryPlan plan_memory(const models::Model& model, std::int64_t weight_bytes,
                       const EngineOptions& options, std::int64_t available_bytes);

/// Throws out_of_memory with the numbers and the remedy (a context that fits, a smaller KV type).
void require_fit(const MemoryPlan& plan, std::int64_t available_bytes);

/// "weights 91.7 MB + KV 45.0 MB (2048 tokens, f16) + activations 12.1 MB = 148.8 MB"
std::string describe(const MemoryPlan& plan, const EngineOptions& options);

}  // namespace cairn::engine
