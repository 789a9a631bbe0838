#include "engine/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "cache/page_demand.h"
#include "engine/kv_store.h"

namespace cairn::engine {
namespace {

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string kv_types(const EngineOptions& options) {
  const auto key = tensor::format_of(options.key_type).name;
  const auto value = tensor::format_of(options.value_type).name;
  return key == value ? std::string(key) : fmt::format("{}/{}", key, value);
}

std::int64_t kv_bytes(std::span<const cache::PageGroup> groups, const EngineOptions& options) {
  const cache::PagedCacheOptions sizes = cache_options(groups, options);
  std::int64_t bytes = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    bytes += sizes.page_counts[group] * page_bytes(groups[group], options);
  }
  return bytes;
}

/// A plan for this context; options.context_tokens is not looked at.
MemoryPlan plan_for(std::span<const cache::PageGroup> groups, EngineOptions options,
                    std::int64_t context_tokens, const MemoryPlan& fixed) {
  options.context_tokens = static_cast<std::int32_t>(context_tokens);
  options = resolved(options);
  MemoryPlan plan = fixed;
  plan.context_tokens = context_tokens;
  plan.kv_tokens = options.kv_tokens;
  plan.kv_bytes = kv_bytes(groups, options);
  return plan;
}

/// The largest multiple of a page that fits, at least one page.
std::int64_t largest_context(std::span<const cache::PageGroup> groups, const EngineOptions& options,
                             std::int64_t most, const MemoryPlan& fixed,
                             std::int64_t available_bytes) {
  const std::int64_t page = options.page_tokens;
  std::int64_t fits = 1;
  std::int64_t too_many = (most + page - 1) / page + 1;
  while (fits + 1 < too_many) {
    const std::int64_t middle = (fits + too_many) / 2;
    const MemoryPlan plan = plan_for(groups, options, middle * page, fixed);
    (plan.total_bytes() <= available_bytes ? fits : too_many) = middle;
  }
  return std::min(most, fits * page);
}

/// The most positions whose pages take no more than options.kv_memory_bytes.
std::int64_t tokens_of_memory(std::span<const cache::PageGroup> groups, EngineOptions options,
                              std::int64_t longest) {
  const std::int32_t given_context = options.context_tokens;
  if (options.context_tokens == 0) options.context_tokens = static_cast<std::int32_t>(longest);
  const auto fits = [&](std::int64_t pages) {
    options.kv_tokens = pages * options.page_tokens;
    return kv_bytes(groups, options) <= options.kv_memory_bytes;
  };
  const std::int64_t most_pages = std::numeric_limits<std::int32_t>::max();
  std::int64_t pages = 0;
  for (std::int64_t step = most_pages / 2 + 1; step > 0; step /= 2) {
    if (pages + step <= most_pages && fits(pages + step)) pages += step;
  }
  const std::int64_t tokens = pages * options.page_tokens;
  const bool holds_context = given_context == 0 || tokens >= given_context;
  if (tokens > 0 && holds_context) return tokens;
  fail(ErrorKind::invalid_argument,
       "KV memory: {} hold {} tokens, expected at least {}; give more, or a smaller KV type",
       megabytes(options.kv_memory_bytes), tokens, std::max(given_context, options.page_tokens));
}

/// Tokens of the largest step.
std::int32_t chunk_tokens(const EngineOptions& options) {
  const std::int32_t most = std::min(options.max_batch_tokens, options.context_tokens);
  return options.prefill_chunk > 0 ? std::min(most, options.prefill_chunk) : most;
}

}  // namespace

std::int64_t weight_bytes(const checkpoint::Checkpoint& checkpoint, DType quantize_to) {
  std::int64_t bytes = 0;
  for (const checkpoint::NamedTensor& tensor : checkpoint.tensors()) {
    if (!tensor.usable()) continue;  // refused by name if a model asks for it
    const tensor::Format& format = tensor::format_of(tensor.view.dtype);
    const bool wide = format.values_per_block == 1 && tensor.view.shape.rank() > 1;
    if (quantize_to == DType::none || !wide) {
      bytes += static_cast<std::int64_t>(tensor.view.size_bytes());
      continue;
    }
    const tensor::Format& target = tensor::format_of(quantize_to);
    bytes += tensor.view.shape.elements() / target.values_per_block * target.bytes_per_block;
  }
  return bytes;
}

EngineOptions resolved(EngineOptions options) {
  if (options.max_logit_rows == 0) options.max_logit_rows = options.max_sequences;
  if (options.kv_tokens == 0) options.kv_tokens = options.context_tokens;
  return options;
}

cache::PagedCacheOptions cache_options(std::span<const cache::PageGroup> groups,
                                       const EngineOptions& options) {
  cache::PagedCacheOptions sizes;
  sizes.page_tokens = options.page_tokens;
  sizes.max_sequences = options.max_sequences;
  sizes.share_prefixes = options.prefix_cache;
  sizes.sequence_tokens = options.context_tokens;
  sizes.chunk_tokens = chunk_tokens(options);
  const std::int64_t all = (options.kv_tokens + options.page_tokens - 1) / options.page_tokens;
  for (const cache::PageGroup& group : groups) {
    const auto needed = [&](std::int32_t chunk) {
      return cache::pages_needed(group.state, options.context_tokens, options.page_tokens, chunk);
    };
    // Running sequences hold a window and a chunk; as many finished ones leave a window behind.
    const std::int32_t kept = sizes.share_prefixes ? needed(1) : 0;
    const std::int64_t windows =
        std::int64_t{sizes.max_sequences} * (needed(sizes.chunk_tokens) + kept);
    const bool windowed = group.state.window_tokens > 0;
    // More pages than a PageId can name do not fit any machine either.
    constexpr std::int64_t kMostPages = std::numeric_limits<std::int32_t>::max();
    const std::int64_t pages = std::min(windowed ? std::min(all, windows) : all, kMostPages);
    sizes.page_counts.push_back(static_cast<std::int32_t>(pages));
  }
  return sizes;
}

MemoryPlan plan_memory(const models::Model& model, std::int64_t weight_bytes,
                       const EngineOptions& given, std::int64_t available_bytes) {
  const std::vector<cache::PageGroup> groups = cache::group_layers(model.states());
  EngineOptions options = given;
  if (options.kv_memory_bytes > 0) {
    options.kv_tokens = tokens_of_memory(groups, options, model.shape().context_length);
  }
  const EngineOptions rows = resolved(options);
  MemoryPlan fixed;
  fixed.weight_bytes = weight_bytes;
  fixed.activation_bytes =
      workspace_bytes(model, rows) +
      rows.max_logit_rows * model.shape().vocabulary * static_cast<std::int64_t>(sizeof(float));
  if (options.context_tokens > 0) {
    return plan_for(groups, options, options.context_tokens, fixed);
  }
  std::int64_t most = model.shape().context_length;
  if (options.kv_tokens > 0) most = std::min(most, options.kv_tokens);
  const std::int64_t spare = available_bytes / 10;
  const std::int64_t context =
      largest_context(groups, options, most, fixed, available_bytes - spare);
  return plan_for(groups, options, context, fixed);
}

void require_fit(const MemoryPlan& plan, const EngineOptions& options,
                 std::int64_t available_bytes) {
  if (plan.total_bytes() <= available_bytes) return;
  const bool weights_fit = plan.weight_bytes + plan.activation_bytes < available_bytes;
  fail(ErrorKind::out_of_memory, "the model needs {}, but {} are available; {}",
       describe(plan, options), megabytes(available_bytes),
       weights_fit ? "use a smaller context, fewer KV tokens or a smaller KV type"
                   : "use a smaller model or one in a smaller format");
}

std::string describe(const MemoryPlan& plan, const EngineOptions& options) {
  return fmt::format("weights {} + KV {} ({} tokens, {}) + activations {} = {}",
                     megabytes(plan.weight_bytes), megabytes(plan.kv_bytes), plan.kv_tokens,
                     kv_types(options), megabytes(plan.activation_bytes),
                     megabytes(plan.total_bytes()));
}

}  // namespace cairn::engine
