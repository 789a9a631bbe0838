#include "checkpoint/name_map.h"

#include <algorithm>
#include <array>

namespace cairn::checkpoint {
namespace {

constexpr auto kModelNames = std::to_array<NamePair>({
    {"token_embd", "embed_tokens"},
    {"output_norm", "norm"},
});
constexpr NamePair kOutput = {"output", "lm_head"};

constexpr auto kLayerNames = std::to_array<NamePair>({
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"attn_sinks", "self_attn.sinks"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"ffn_gate_inp", "mlp.gate"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
});

// Where a model of several media keeps its language model; the plain one first.
constexpr auto kModelPrefixes = std::to_array<std::string_view>({
    "model.",
    "language_model.model.",
    "model.language_model.",
    "",
});
constexpr auto kOutputPrefixes = std::to_array<std::string_view>({"", "language_model."});

// Null if there is no pair.
const NamePair* find_pair(std::string_view stem, std::span<const NamePair> overrides,
                          std::span<const NamePair> common) {
  for (const std::span<const NamePair> table : {overrides, common}) {
    const auto found = std::ranges::find(table, stem, &NamePair::gguf);
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

// "blk.3.attn_q" -> "3", "attn_q"; an empty layer for names outside the layers.
struct SplitGgufName {
  std::string_view layer;
  std::string_view stem;
  std::string_view suffix;  // ".weight", with its dot, or nothing
};

SplitGgufName split_gguf_name(std::string_view name) {
  constexpr std::string_view kLayer = "blk.";
  SplitGgufName parts;
  if (name.starts_with(kLayer)) {
    name.remove_prefix(kLayer.size());
    const std::size_t dot = std::min(name.find('.'), name.size());
    parts.layer = name.substr(0, dot);
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  parts.stem = name.substr(0, dot);
  parts.suffix = name.substr(dot);
  return parts;
}

template <class... Parts>
std::string join(Parts... parts) {
  std::string result;
  (result.append(parts), ...);
  return result;
}

}  // namespace

std::vector<std::string> hugging_face_names(std::string_view gguf_name,
                                            std::span<const NamePair> overrides) {
  const auto [layer, stem, suffix] = split_gguf_name(gguf_name);
  std::vector<std::string> names;
  if (layer.empty() && stem == kOutput.gguf) {
    for (const std::string_view prefix : kOutputPrefixes) {
      names.push_back(join(prefix, kOutput.hugging_face, suffix));
    }
    return names;
  }
  const NamePair* pair = layer.empty() ? find_pair(stem, overrides, kModelNames)
                                       : find_pair(stem, overrides, kLayerNames);
  if (pair == nullptr) return names;
  for (const std::string_view prefix : kModelPrefixes) {
    names.push_back(layer.empty()
                        ? join(prefix, pair->hugging_face, suffix)
                        : join(prefix, "layers.", layer, ".", pair->hugging_face, suffix));
  }
  return names;
}

}  // namespace cairn::checkpoint
