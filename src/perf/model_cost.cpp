#include "perf/model_cost.h"

#include <algorithm>

#include "cache/page_group.h"
#include "models/registry.h"

namespace cairn::perf {

ModelCost::ModelCost(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options)
    : model_(models::load_model(checkpoint, backend_)), layers_(pages_of_layers(options)) {
  for (const cache::PageGroup& group : cache::group_layers(model_->states())) {
    windows_.push_back(group.state.window_tokens);
  }
}

std::vector<nn::LayerPages> ModelCost::pages_of_layers(const EngineOptions& options) const {
  std::vector<nn::LayerPages> layers(model_->states().size());
  const std::vector<cache::PageGroup> groups = cache::group_layers(model_->states());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const cache::PagedState& state = groups[group].state;
    for (const LayerIndex layer : groups[group].layers) {
      backend::KvLayer& kv = layers[static_cast<std::size_t>(layer.value)].kv;
      kv.key_type = options.key_type;
      kv.value_type = options.value_type;
      kv.kv_heads = state.kv_heads;
      kv.key_dim = state.key_dim;
      kv.value_dim = state.value_dim;
      kv.page_tokens = options.page_tokens;
      layers[static_cast<std::size_t>(layer.value)].group = static_cast<std::int32_t>(group);
    }
  }
  return layers;
}

backend::Cost ModelCost::step(std::int32_t sequences, std::int32_t rows, std::int32_t depth) {
  const auto row_count = static_cast<std::size_t>(sequences) * static_cast<std::size_t>(rows);
  const std::vector<TokenId> tokens(row_count);
  const std::vector<std::int64_t> write_slots(row_count);
  // The cost backend tells sequences apart by the address of their page tables.
  const std::vector<PageId> page_tables(static_cast<std::size_t>(sequences));
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> logit_rows;
  std::vector<std::vector<backend::KeyList>> keys(windows_.size());
  for (std::int32_t sequence = 0; sequence < sequences; ++sequence) {
    for (std::int32_t row = 0; row < rows; ++row) {
      const std::int32_t position = depth + row;
      positions.push_back(position);
      for (std::size_t group = 0; group < windows_.size(); ++group) {
        const std::int32_t window = windows_[group];
        const std::int32_t first = window > 0 ? std::max(0, position - window + 1) : 0;
        keys[group].push_back(
            {&page_tables[static_cast<std::size_t>(sequence)], first, position + 1});
      }
    }
    logit_rows.push_back((sequence + 1) * rows - 1);
  }
  std::vector<nn::GroupRows> groups;
  for (const std::vector<backend::KeyList>& lists : keys) groups.push_back({lists, write_slots});

  const nn::Batch batch{tokens, positions, groups, logit_rows};
  nn::Workspace workspace{Buffer()};
  nn::Pass pass{backend_, batch, workspace, layers_};
  backend_.reset();
  model_->forward(pass, Tensor{DType::f32, {sequences, model_->shape().vocabulary}, nullptr});
  return backend_.total();
}

}  // namespace cairn::perf
