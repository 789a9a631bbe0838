#include "engine/kv_store.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace cairn::engine {
namespace {

constexpr std::int64_t kAlignment = 64;

void require_type(std::string_view option, DType type, std::int32_t dim) {
  const std::string problem = backend::kv_type_problem(type, dim);
  if (!problem.empty()) fail(ErrorKind::invalid_argument, "{}: {}", option, problem);
}

backend::KvLayer describe(const cache::PagedState& state, const EngineOptions& options) {
  require_type("KV type of keys", options.key_type, state.key_dim);
  require_type("KV type of values", options.value_type, state.value_dim);
  backend::KvLayer kv;
  kv.key_type = options.key_type;
  kv.value_type = options.value_type;
  kv.kv_heads = state.kv_heads;
  kv.key_dim = state.key_dim;
  kv.value_dim = state.value_dim;
  kv.page_tokens = options.page_tokens;
  return kv;
}

}  // namespace

std::int64_t page_bytes(const cache::PageGroup& group, const EngineOptions& options) {
  const backend::KvLayer kv = describe(group.state, options);
  return static_cast<std::int64_t>(group.layers.size()) *
         (kv.key_side().page_bytes() + kv.value_side().page_bytes());
}

std::vector<nn::LayerPages> layer_pages(std::span<const cache::StateSpec> states,
                                        std::span<const cache::PageGroup> groups,
                                        const EngineOptions& options) {
  for (std::size_t layer = 0; layer < states.size(); ++layer) {
    const bool known = std::holds_alternative<std::monostate>(states[layer]) ||
                       std::holds_alternative<cache::PagedState>(states[layer]);
    if (!known) {
      fail(ErrorKind::unsupported,
           "layer {} keeps a state that is no KV pages; nothing here holds it", layer);
    }
  }
  std::vector<nn::LayerPages> layers(states.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const LayerIndex layer : groups[group].layers) {
      layers[static_cast<std::size_t>(layer.value)] = {describe(groups[group].state, options),
                                                       static_cast<std::int32_t>(group)};
    }
  }
  return layers;
}

KvStore::KvStore(std::span<const cache::StateSpec> states, std::span<const cache::PageGroup> groups,
                 std::span<const std::int32_t> page_counts, const EngineOptions& options,
                 backend::Backend& backend)
    : layers_(layer_pages(states, groups, options)) {
  std::int64_t size_bytes = 0;
  const auto reserve = [&](const backend::KvSide& side) {
    const std::int64_t begin = size_bytes;
    size_bytes += (side.page_count * side.page_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> begins;  // of keys and values
  for (nn::LayerPages& layer : layers_) {
    if (layer.group < 0) continue;
    layer.kv.page_count = page_counts[static_cast<std::size_t>(layer.group)];
    const std::int64_t keys = reserve(layer.kv.key_side());
    begins.emplace_back(keys, reserve(layer.kv.value_side()));
  }
  memory_ = backend.allocate(static_cast<std::size_t>(size_bytes));
  memory_.use_small_pages();
  auto begin = begins.begin();
  for (nn::LayerPages& layer : layers_) {
    if (layer.group < 0) continue;
    layer.kv.keys = memory_.data() + begin->first;
    layer.kv.values = memory_.data() + begin->second;
    ++begin;
  }
}

void KvStore::expect(std::int64_t token_count) {
  constexpr std::int64_t few_tokens = 256;
  if (has_large_pages_ || token_count <= few_tokens) return;
  memory_.use_large_pages();
  has_large_pages_ = true;
}

void KvStore::copy(const cache::PageCopy& copy) const {
  for (const nn::LayerPages& layer : layers_) {
    if (layer.group != copy.group) continue;
    layer.kv.key_side().copy_page(copy.from.value, copy.to.value);
    layer.kv.value_side().copy_page(copy.from.value, copy.to.value);
  }
}

}  // namespace cairn::engine
