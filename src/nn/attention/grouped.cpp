#include "nn/attention/grouped.h"

#include <array>

namespace cairn::nn {

GroupedAttention::GroupedAttention(const Loader& loader, const GroupedAttentionConfig& config)
    : config_(config),
      query_(loader, "attn_q", config.heads * config.key_dim, config.width),
      key_(loader, "attn_k", config.kv_heads * config.key_dim, config.width),
      value_(loader, "attn_v", config.kv_heads * config.value_dim, config.width),
      output_(loader, "attn_output", config.width, config.heads * config.value_dim) {}

void GroupedAttention::load_head_norms(const Loader& loader, float epsilon, float offset) {
  query_norm_ = RmsNorm(loader, "attn_q_norm", config_.key_dim, epsilon, offset);
  key_norm_ = RmsNorm(loader, "attn_k_norm", config_.key_dim, epsilon, offset);
}

cache::PagedState GroupedAttention::state() const {
  return {.kv_heads = static_cast<std::int32_t>(config_.kv_heads),
          .key_dim = static_cast<std::int32_t>(config_.key_dim),
          .value_dim = static_cast<std::int32_t>(config_.value_dim),
          .window_tokens = static_cast<std::int32_t>(config_.window_tokens)};
}

void GroupedAttention::forward(Pass& pass, LayerIndex layer, Tensor input,
                               const backend::RmsNorm& norm, Tensor rope_table, Tensor output,
                               backend::Store store) const {
  const std::int64_t rows = pass.batch.row_count();
  Workspace& workspace = pass.workspace;
  const std::size_t mark = workspace.mark();
  const Tensor query = workspace.tensor(rows, config_.heads * config_.key_dim);
  const Tensor key = workspace.tensor(rows, config_.kv_heads * config_.key_dim);
  const Tensor value = workspace.tensor(rows, config_.kv_heads * config_.value_dim);
  const Tensor attended = workspace.tensor(rows, config_.heads * config_.value_dim);

  const std::array inputs{query_.into(query), key_.into(key), value_.into(value)};
  pass.backend.matmul({.input = input, .norm = norm, .projections = inputs});

  const LayerPages& pages = pass.layers[static_cast<std::size_t>(layer.value)];
  const GroupRows& group = pass.batch.groups[static_cast<std::size_t>(pages.group)];
  pass.backend.attention({.query = query,
                          .key = key,
                          .value = value,
                          .output = attended,
                          .heads = static_cast<std::int32_t>(config_.heads),
                          .query_norm = query_norm_.op(),
                          .key_norm = key_norm_.op(),
                          .rope_table = rope_table,
                          .rope_pairs = config_.rope_pairs,
                          .scale = config_.scale,
                          .softcap = config_.softcap,
                          .kv = &pages.kv,
                          .keys = group.keys,
                          .write_slots = group.write_slots});

  const std::array outputs{output_.into(output, store)};
  pass.backend.matmul({.input = attended, .norm = {}, .projections = outputs});
  workspace.reset(mark);
}

}  // namespace cairn::nn
