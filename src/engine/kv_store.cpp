#include "engine/kv_store.h"

#include "base/error.h"

namespace cairn::engine {
namespace {

std::int64_t value_bytes(DType dtype) {
  return tensor::format_of(dtype).bytes_per_block;
}

std::int64_t key_page_bytes(const cache::PagedState& state, const EngineOptions& options) {
  return std::int64_t{state.kv_heads} * state.key_dim * options.page_tokens *
         value_bytes(options.key_type);
}

std::int64_t value_page_bytes(const cache::PagedState& state, const EngineOptions& options) {
  return std::int64_t{state.kv_heads} * state.value_dim * options.page_tokens *
         value_bytes(options.value_type);
}

backend::KvLayer describe(const cache::PagedState& state, const EngineOptions& options) {
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
  return static_cast<std::int64_t>(group.layers.size()) *
         (key_page_bytes(group.state, options) + value_page_bytes(group.state, options));
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
  for (nn::LayerPages& layer : layers_) {
    if (layer.group < 0) continue;
    const auto group = static_cast<std::size_t>(layer.group);
    const std::int64_t pages = page_counts[group];
    const cache::PagedState& state = groups[group].state;
    const auto allocate = [&](std::int64_t bytes_per_page) {
      buffers_.push_back(backend.allocate(static_cast<std::size_t>(pages * bytes_per_page)));
      return buffers_.back().data();
    };
    layer.kv.keys = allocate(key_page_bytes(state, options));
    layer.kv.values = allocate(value_page_bytes(state, options));
  }
}

}  // namespace cairn::engine
