#pragma once
// What a scheduler is sized and steered by.

#include <cstdint>
#include <string>

namespace cairn::schedule {

struct SchedulerOptions {
  std::int32_t context_tokens = 0;      // longest sequence
  std::int64_t vocabulary = 0;          // tokens of a prompt are below this
  std::int32_t max_sequences = 1;       // running at a time
  std::int32_t max_waiting = 256;       // sequences that queue
  std::int32_t max_batch_tokens = 512;  // rows of a step; at least max_sequences
  std::int32_t max_logit_rows = 1;      // rows of a step with logits; at least max_sequences
  std::int32_t prefill_chunk = 0;       // rows a sequence gets in a step; 0: what is left
  /// Where streams run, prompts get no more rows than a step of this length has room for; 0, or a
  /// step without a price: no such bound.
  double target_itl_seconds = 0;
  /// Requests that may start before one that waits for pages; then the door is closed until it is
  /// in.
  std::int32_t max_bypass = 32;
  /// Waiting that makes up for one level of priority, or for 1,000 tokens in the cache.
  double ageing_seconds = 10;
  std::string order = "fcfs";  // policies/order.h
};

}  // namespace cairn::schedule
