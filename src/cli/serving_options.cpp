#include "cli/serving_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace cairn::cli {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit kUnits[] = {{"", 1},         {"b", 1},           {"kb", 1e3},
                           {"mb", 1e6},     {"gb", 1e9},        {"tb", 1e12},
                           {"kib", 1024.0}, {"mib", 1048576.0}, {"gib", 1073741824.0}};

}  // namespace

std::int64_t parse_bytes(const std::string& flag, const std::string& text) {
  char* rest = nullptr;
  const double amount = std::strtod(text.c_str(), &rest);
  std::string unit;
  for (; rest != nullptr && *rest != '\0'; ++rest) {
    if (*rest != ' ') {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*rest)));
    }
  }
  const auto* const known = std::ranges::find(kUnits, std::string_view(unit), &Unit::name);
  const bool is_known = known != std::end(kUnits) && std::isfinite(amount) && amount > 0;
  if (!is_known || amount * known->bytes > 1e15) {
    fail(ErrorKind::invalid_argument, "{} {}: expected a size, such as 512MB or 2GB", flag, text);
  }
  return static_cast<std::int64_t>(amount * known->bytes);
}

void add_serving_options(CLI::App& command, ServingOptions& options) {
  const auto add = [&](const char* flag, std::int32_t& value, const char* help, int least) {
    command.add_option(flag, value, help)
        ->check(CLI::Range(least, 1 << 20))
        ->capture_default_str()
        ->group("Serving");
  };
  add("--max-batch-tokens", options.max_batch_tokens, "Rows of a step at most", 1);
  add("--max-sequences", options.max_sequences, "Sequences that run in a step at most", 1);
  add("--page-tokens", options.page_tokens, "Positions in a page of KV; a multiple of 16", 16);
  add("--prefill-chunk", options.prefill_chunk,
      "Rows that a prompt gets in a step; 0: what is left", 0);
  command
      .add_option("--target-itl", options.target_itl_ms,
                  "Milliseconds between a stream's tokens: prompts get no more rows than such a "
                  "step has room for; 0: all that fit")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->group("Serving");
  command
      .add_option("--kv-memory", options.kv_memory,
                  "Memory for keys and values of all sequences: 512MB, 2GB [one whole context]")
      ->group("Serving");
  command
      .add_flag("--no-prefix-cache", options.no_prefix_cache,
                "Compute every prompt, though others began alike")
      ->group("Serving");
  command
      .add_option(
          "--schedule", options.schedule,
          "Who starts first: fcfs, priority, prefix (longest cached prompt), shortest, static")
      ->capture_default_str()
      ->group("Serving");
  command.add_option("--seed", options.seed, "For requests that name none: hashed with their id")
      ->capture_default_str()
      ->group("Serving");
}

void apply(const ServingOptions& options, EngineOptions& engine) {
  engine.max_batch_tokens = options.max_batch_tokens;
  engine.max_sequences = options.max_sequences;
  engine.max_waiting = std::max(engine.max_waiting, 4 * options.max_sequences);
  engine.page_tokens = options.page_tokens;
  engine.prefix_cache = !options.no_prefix_cache;
  engine.prefill_chunk = options.prefill_chunk;
  engine.target_itl_seconds = options.target_itl_ms / 1000;
  engine.order = options.schedule;
  if (!options.kv_memory.empty()) {
    engine.kv_memory_bytes = parse_bytes("--kv-memory", options.kv_memory);
  }
}

}  // namespace cairn::cli
