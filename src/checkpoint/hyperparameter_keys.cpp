#include "checkpoint/hyperparameter_keys.h"

#include <algorithm>

namespace cairn::checkpoint {
namespace {

// One line a setting. Older form first: where a file has both, they agree.
constexpr auto kTable = std::to_array<HyperparameterKeys>({
    // Sizes
    {"vocab_size", {"vocab_size"}},
    {"context_length", {"max_position_embeddings", "model_max_length", "n_positions"}},
    {"embedding_length", {"hidden_size", "n_embd", "d_model"}},
    {"block_count", {"num_hidden_layers", "n_layer", "num_layers"}},
    {"feed_forward_length", {"intermediate_size", "n_inner"}},

    // Attention
    {"attention.head_count", {"num_attention_heads", "n_head"}},
    {"attention.head_count_kv", {"num_key_value_heads"}},
    {"attention.key_length", {"head_dim"}},
    {"attention.value_length", {"v_head_dim", "head_dim"}},
    {"attention.layer_norm_rms_epsilon", {"rms_norm_eps", "norm_eps", "layer_norm_epsilon"}},
    {"attention.layer_norm_epsilon", {"layer_norm_eps", "norm_epsilon", "layer_norm_epsilon"}},
    {"attention.sliding_window", {"sliding_window"}, "use_sliding_window"},
    {"attention.sliding_window_pattern", {"sliding_window_pattern", "_sliding_window_pattern"}},
    {"attention.scale", {"attention_multiplier"}},
    {"attention.bias", {"attention_bias", "qkv_bias"}},
    {"max_window_layers", {"max_window_layers"}, "use_sliding_window"},
    {"layer_types", {"layer_types"}},
    {"query_pre_attn_scalar", {"query_pre_attn_scalar"}},
    {"attn_logit_softcapping", {"attn_logit_softcapping"}},

    // Rotary position embedding
    {"rope.dimension_count", {"rotary_dim"}},
    {"rope.partial_rotary_factor",
     {"partial_rotary_factor", "rope_parameters.partial_rotary_factor",
      "rope_parameters.full_attention.partial_rotary_factor"}},
    {"rope.freq_base",
     {"rope_theta", "rope_parameters.rope_theta", "rope_parameters.full_attention.rope_theta"}},
    {"rope.freq_base_swa",
     {"rope_local_base_freq", "rope_parameters.sliding_attention.rope_theta"}},
    {"rope.scaling.type",
     {"rope_scaling.rope_type", "rope_scaling.type", "rope_parameters.rope_type",
      "rope_parameters.type", "rope_parameters.full_attention.rope_type"}},
    {"rope.scaling.factor",
     {"rope_scaling.factor", "rope_parameters.factor", "rope_parameters.full_attention.factor"}},
    {"rope.scaling.original_context_length",
     {"rope_scaling.original_max_position_embeddings",
      "rope_parameters.original_max_position_embeddings",
      "rope_parameters.full_attention.original_max_position_embeddings",
      "original_max_position_embeddings"}},
    {"rope.scaling.low_freq_factor",
     {"rope_scaling.low_freq_factor", "rope_parameters.low_freq_factor",
      "rope_parameters.full_attention.low_freq_factor"}},
    {"rope.scaling.high_freq_factor",
     {"rope_scaling.high_freq_factor", "rope_parameters.high_freq_factor",
      "rope_parameters.full_attention.high_freq_factor"}},
    {"rope.scaling.yarn_beta_fast",
     {"rope_scaling.beta_fast", "rope_parameters.beta_fast",
      "rope_parameters.full_attention.beta_fast"}},
    {"rope.scaling.yarn_beta_slow",
     {"rope_scaling.beta_slow", "rope_parameters.beta_slow",
      "rope_parameters.full_attention.beta_slow"}},
    // Replaces YaRN's 0.1 ln(factor) + 1, where GGUF's rope.scaling.attn_factor multiplies it.
    {"rope.scaling.attention_factor",
     {"rope_scaling.attention_factor", "rope_parameters.attention_factor",
      "rope_parameters.full_attention.attention_factor"}},
    {"rope.scaling.mscale", {"rope_scaling.mscale", "rope_parameters.mscale"}},
    {"rope.scaling.mscale_all_dim",
     {"rope_scaling.mscale_all_dim", "rope_parameters.mscale_all_dim"}},
    {"rope.scaling.truncate", {"rope_scaling.truncate", "rope_parameters.truncate"}},
    {"rope.scaling.short_factor", {"rope_scaling.short_factor", "rope_parameters.short_factor"}},
    {"rope.scaling.long_factor", {"rope_scaling.long_factor", "rope_parameters.long_factor"}},

    // Feed-forward and output
    {"mlp.bias", {"mlp_bias", "use_bias"}},
    {"mlp.activation", {"hidden_activation", "hidden_act", "activation_function"}},
    {"tie_word_embeddings", {"tie_word_embeddings"}},
    {"final_logit_softcapping", {"final_logit_softcapping"}},
    {"embedding_scale", {"embedding_multiplier"}},
    {"residual_scale", {"residual_multiplier"}},
    {"logit_scale", {"logit_scale", "logits_scaling"}},

    // Experts
    {"expert_count", {"num_local_experts", "num_experts", "n_routed_experts"}},
    {"expert_used_count", {"num_experts_per_tok", "num_experts_per_token"}},
    {"expert_feed_forward_length", {"moe_intermediate_size"}},
    {"expert_shared_count", {"n_shared_experts", "num_shared_experts"}},
    {"expert_shared_feed_forward_length", {"shared_expert_intermediate_size"}},
    {"expert_weights_scale", {"routed_scaling_factor"}},
    {"expert_weights_norm", {"norm_topk_prob"}},
    {"expert_group_count", {"n_group", "num_expert_group"}},
    {"expert_group_used_count", {"topk_group"}},
    {"leading_dense_block_count", {"first_k_dense_replace"}},
    {"nextn_predict_layers", {"num_nextn_predict_layers"}},
});

}  // namespace

const HyperparameterKeys* find_hyperparameter_keys(std::string_view name) {
  const auto* found = std::ranges::find(kTable, name, &HyperparameterKeys::name);
  return found == kTable.end() ? nullptr : found;
}

}  // namespace cairn::checkpoint
