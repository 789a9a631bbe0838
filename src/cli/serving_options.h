#pragma once
// The flags that size and steer an engine for many requests at a time.

#include <cstdint>
#include <string>

#include "engine/engine_options.h"

namespace CLI {
class App;
}

namespace cairn::cli {

struct ServingOptions {
  std::int32_t max_batch_tokens = 512;
  std::int32_t max_sequences = 16;
  std::string kv_memory;  // "2GB"; empty: for one whole context
  std::int32_t page_tokens = 16;
  bool no_prefix_cache = false;
  std::int32_t prefill_chunk = 0;
  double target_itl_ms = 0;  // 0: no such bound
  std::string schedule = "fcfs";
  std::uint64_t seed = 0;
};

/// --max-batch-tokens, --max-sequences, --kv-memory, --page-tokens, --no-prefix-cache,
/// --prefill-chunk, --target-itl, --schedule, --seed.
void add_serving_options(CLI::App& command, ServingOptions& options);

/// Overwrites what they say. Throws invalid_argument naming the flag.
void apply(const ServingOptions& options, EngineOptions& engine);

/// "512MB", "2 GB", "1.5GiB", "1000000": bytes. Throws invalid_argument naming the flag.
std::int64_t parse_bytes(const std::string& flag, const std::string& text);

}  // namespace cairn::cli
