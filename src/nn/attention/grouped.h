#pragma once
// Grouped-query attention with its four projections (Ainslie et al., "GQA", 2023): multi-head and
// multi-query attention are its ends. Norms of queries and keys are there if the family has them,
// biases if the file has them.

#include <cstdint>

#include "cache/state_spec.h"
#include "nn/linear.h"
#include "nn/pass.h"
#include "nn/rms_norm.h"

namespace cairn::nn {

struct GroupedAttentionConfig {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  float scale = 0;                 // of scores; usually key_dim^-1/2
  float softcap = 0;               // of scores; 0: none
  std::int64_t window_tokens = 0;  // query p sees keys j with p - window < j <= p; 0: all
  backend::RopePairs rope_pairs = backend::RopePairs::halves;
};

class GroupedAttention {
 public:
  /// attn_q, attn_k, attn_v, attn_output. Throws corrupt if the heads do not divide into groups.
  GroupedAttention(const Loader& loader, const GroupedAttentionConfig& config);

  /// attn_q_norm and attn_k_norm, per head, before the rotation.
  void load_head_norms(const Loader& loader, float epsilon, float offset = 0);

  /// Keys of all positions, or of the window's.
  cache::PagedState state() const;

  /// output (+)= attn_output(attention(norm(input))). `rope_table` without data: no rotation.
  void forward(Pass& pass, LayerIndex layer, Tensor input /*[rows, width]*/,
               const backend::RmsNorm& norm, Tensor rope_table /*[rows, n]*/,
               Tensor output /*[rows, width]*/, backend::Store store) const;

 private:
  GroupedAttentionConfig config_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
  RmsNorm query_norm_;
  RmsNorm key_norm_;
};

}  // namespace cairn::nn
