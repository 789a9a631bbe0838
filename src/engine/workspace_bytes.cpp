// workspace_bytes(): the model's forward over the largest step, on shapes only.

#include "backend/cost/cost_backend.h"
#include "engine/kv_store.h"
#include "engine/memory_plan.h"

namespace cairn::engine {

std::int64_t workspace_bytes(const models::Model& model, const EngineOptions& options) {
  const std::vector<cache::PageGroup> groups = cache::group_layers(model.states());
  const auto rows = static_cast<std::size_t>(options.max_batch_tokens);
  const auto logit_row_count = std::min(rows, static_cast<std::size_t>(options.max_logit_rows));
  const std::vector<TokenId> tokens(rows);
  const std::vector<std::int32_t> positions(rows, 0);
  const PageId page;
  const std::vector<backend::KeyList> keys(rows, {&page, 0, 1});
  const std::vector<std::int64_t> write_slots(rows, 0);
  const std::vector<nn::GroupRows> group_rows(groups.size(), {keys, write_slots});
  std::vector<std::int32_t> logit_rows(logit_row_count);
  for (std::size_t row = 0; row < logit_row_count; ++row) {
    logit_rows[row] = static_cast<std::int32_t>(row);
  }

  const std::vector<nn::LayerPages> layers = layer_pages(model.states(), groups, options);
  const nn::Batch batch{tokens, positions, group_rows, logit_rows};
  backend::CostBackend cost;
  nn::Workspace measured{Buffer()};
  nn::Pass pass{cost, batch, measured, layers};
  model.forward(pass, {DType::f32,
                       {static_cast<std::int64_t>(logit_row_count), model.shape().vocabulary},
                       nullptr});
  return static_cast<std::int64_t>(measured.peak_bytes());
}

}  // namespace cairn::engine
