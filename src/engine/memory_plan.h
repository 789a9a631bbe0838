#pragma once
// The byte plan of invariant M1: made before weights are loaded, printed, and refused if it does
// not fit. Works on a model of any backend; one on the cost backend needs no weights.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cache/paged_cache.h"
#include "checkpoint/checkpoint.h"
#include "engine/available_memory.h"
#include "engine/engine_options.h"
#include "models/model.h"

namespace cairn::engine {

struct MemoryPlan {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;          // all page groups
  std::int64_t activation_bytes = 0;  // workspace and logits
  std::int64_t context_tokens = 0;
  std::int64_t kv_tokens = 0;
  std::int64_t total_bytes() const { return weight_bytes + kv_bytes + activation_bytes; }
};

/// Bytes that a checkpoint's tensors take once loaded, its 16- and 32-bit matrices as `quantize_to`
/// unless that is none.
std::int64_t weight_bytes(const checkpoint::Checkpoint& checkpoint, DType quantize_to);

/// The options with every 0 that depends on others filled in: max_logit_rows, kv_tokens.
/// REQUIRES: context_tokens > 0.
EngineOptions resolved(EngineOptions options);

/// How the page tables are sized, by resolved options. A window's group needs pages for the window
/// and a chunk of every sequence, or for all positions if those are fewer.
cache::PagedCacheOptions cache_options(std::span<const cache::PageGroup> groups,
                                       const EngineOptions& options);

/// Bytes of the activations of the largest step, measured by the model's own forward.
std::int64_t workspace_bytes(const models::Model& model, const EngineOptions& options);

/// context_tokens 0 becomes the smaller of the model's context and the largest that fits into
/// available_bytes, with a tenth of it left to spare. The plan is not checked.
MemoryPlan plan_memory(const models::Model& model, std::int64_t weight_bytes,
                       const EngineOptions& options, std::int64_t available_bytes);

/// Throws out_of_memory with the numbers and the remedy.
void require_fit(const MemoryPlan& plan, const EngineOptions& options,
                 std::int64_t available_bytes);

/// "weights 91.7 MB + KV 45.0 MB (2048 tokens, f16) + activations 12.1 MB = 148.8 MB"
std::string describe(const MemoryPlan& plan, const EngineOptions& options);

}  // namespace cairn::engine
