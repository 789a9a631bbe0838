#pragma once
// What a running engine is sized by. All memory is taken at start, from these numbers.

#include <cstdint>
#include <string>

#include "tensor/dtype.h"

namespace cairn::engine {

struct EngineOptions {
  /// Longest sequence, prompt and continuation; 0: the smaller of the model's and what fits.
  std::int32_t context_tokens = 0;
  /// Positions that the KV pages of all sequences hold together; 0: context_tokens.
  std::int64_t kv_tokens = 0;
  /// Where above 0, kv_tokens is what so much memory holds.
  std::int64_t kv_memory_bytes = 0;
  std::int32_t max_sequences = 1;       // that run in one step
  std::int32_t max_waiting = 256;       // sequences that queue before submit() throws unavailable
  std::int32_t max_batch_tokens = 512;  // rows of a step
  std::int32_t prefill_chunk = 0;       // rows a sequence's prompt gets in a step; 0: what is left
  /// Where streams run, prompts get no more rows than a step of this length has room for, by the
  /// price that the session was given; 0: no such bound.
  double target_itl_seconds = 0;
  /// Rows of a step that get logits. 0: max_sequences. Requests that want the logits of their
  /// prompt get chunks of at most so many rows; each costs vocabulary * 4 bytes.
  std::int32_t max_logit_rows = 0;
  std::int32_t page_tokens = 16;  // a multiple of 16
  DType key_type = DType::f16;    // f32, f16, bf16, q8_0 or q4_0
  DType value_type = DType::f16;
  /// Requests share the KV of what they begin with alike; finished ones leave theirs behind.
  bool prefix_cache = true;
  std::string order = "fcfs";  // schedule/policies/order.h
};

}  // namespace cairn::engine

namespace cairn {
using engine::EngineOptions;
}
