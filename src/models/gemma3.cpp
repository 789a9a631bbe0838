// gemma3: text models of Gemma 3. Most layers see a window and turn by a base of their own; every
// branch is normed before and after; queries and keys are normed per head; embeddings are scaled by
// sqrt(width) and serve as the output matrix. Gemma team, "Gemma 3 technical report", 2025.

#include <array>
#include <cmath>
#include <vector>

#include "models/families.h"
#include "models/layer_windows.h"
#include "models/transformer_sizes.h"
#include "nn/attention/grouped.h"
#include "nn/embedding.h"
#include "nn/gated_mlp.h"
#include "nn/output_head.h"
#include "nn/rope.h"

namespace cairn::models {
namespace {

using backend::Store;
using checkpoint::Hyperparameters;

/// Where Hugging Face's names differ from the usual ones.
constexpr std::array kNames{
    checkpoint::NamePair{"ffn_norm", "pre_feedforward_layernorm"},
};

struct Gemma3Config {
  TransformerSizes sizes;
  nn::RopeConfig global_rope;
  nn::RopeConfig local_rope;
  std::vector<bool> sliding;  // by layer
  std::int64_t window_tokens = 0;
  float attention_scale = 1;
  float attention_softcap = 0;
  float logit_softcap = 0;
  float norm_offset = 0;  // checkpoints from Hugging Face store the norms' weights minus 1
};

/// Without layer_types every `pattern`-th layer, and no other, sees everything.
std::vector<bool> sliding_layers(const Hyperparameters& hyperparameters, std::int64_t layers) {
  if (auto named = read_sliding_layers(hyperparameters, layers)) return *std::move(named);
  constexpr std::int64_t kUsualPattern = 6;
  const std::int64_t pattern =
      hyperparameters.integer("attention.sliding_window_pattern").value_or(kUsualPattern);
  std::vector<bool> sliding;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    sliding.push_back(pattern > 0 && (layer + 1) % pattern != 0);
  }
  return sliding;
}

/// 1/sqrt of query_pre_attn_scalar. GGUF does not store it: it is the head's size except in the 27B
/// model (62 layers), where it is width / heads.
float attention_scale(const Hyperparameters& hyperparameters, const TransformerSizes& sizes) {
  constexpr std::int64_t kLayersOf27B = 62;
  const double usual =
      static_cast<double>(sizes.layers == kLayersOf27B ? sizes.width / sizes.heads : sizes.key_dim);
  const double scalar = hyperparameters.number("query_pre_attn_scalar").value_or(usual);
  return static_cast<float>(1.0 / std::sqrt(scalar));
}

Gemma3Config read_config(const Hyperparameters& hyperparameters) {
  Gemma3Config config;
  config.sizes = read_sizes(hyperparameters);
  require_activation(hyperparameters, "gelu_pytorch_tanh");
  config.global_rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  config.local_rope.dimensions = config.sizes.key_dim;
  config.local_rope.base = hyperparameters.number("rope.freq_base_swa").value_or(10000.0);
  config.sliding = sliding_layers(hyperparameters, config.sizes.layers);
  config.window_tokens = read_window(hyperparameters);
  config.attention_scale = attention_scale(hyperparameters, config.sizes);
  config.attention_softcap =
      static_cast<float>(hyperparameters.number("attn_logit_softcapping").value_or(0));
  config.logit_softcap =
      static_cast<float>(hyperparameters.number("final_logit_softcapping").value_or(0));
  const bool gguf = hyperparameters.checkpoint().origin() == checkpoint::Origin::gguf;
  config.norm_offset = gguf ? 0.0F : 1.0F;
  return config;
}

struct Gemma3Layer {
  nn::RmsNorm attention_norm;
  nn::GroupedAttention attention;
  nn::RmsNorm attention_post_norm;
  nn::RmsNorm mlp_norm;
  nn::GatedMlp mlp;
  nn::RmsNorm mlp_post_norm;
  bool sliding;

  Gemma3Layer(const nn::Loader& loader, const Gemma3Config& config, bool is_sliding)
      : attention_norm(norm(loader, "attn_norm", config)),
        attention(loader, {.width = config.sizes.width,
                           .heads = config.sizes.heads,
                           .kv_heads = config.sizes.kv_heads,
                           .key_dim = config.sizes.key_dim,
                           .value_dim = config.sizes.value_dim,
                           .scale = config.attention_scale,
                           .softcap = config.attention_softcap,
                           .window_tokens = is_sliding ? config.window_tokens : 0}),
        attention_post_norm(norm(loader, "post_attention_norm", config)),
        mlp_norm(norm(loader, "ffn_norm", config)),
        mlp(loader, config.sizes.width, config.sizes.hidden, backend::Activation::gelu_tanh),
        mlp_post_norm(norm(loader, "post_ffw_norm", config)),
        sliding(is_sliding) {
    attention.load_head_norms(loader, config.sizes.epsilon, config.norm_offset);
  }

  static nn::RmsNorm norm(const nn::Loader& loader, std::string_view name,
                          const Gemma3Config& config) {
    return {loader, name, config.sizes.width, config.sizes.epsilon, config.norm_offset};
  }

  /// stream += post_norm(attention(norm(stream))), then the same for the MLP.
  void forward(nn::Pass& pass, LayerIndex index, Tensor stream, Tensor rope_table) const {
    const std::size_t mark = pass.workspace.mark();
    const Tensor branch = pass.workspace.tensor(stream.rows(), stream.columns());
    attention.forward(pass, index, stream, attention_norm.op(), rope_table, branch, Store::assign);
    pass.backend.add_normed(stream, branch, attention_post_norm.op());
    mlp.forward(pass, stream, mlp_norm.op(), branch, Store::assign);
    pass.backend.add_normed(stream, branch, mlp_post_norm.op());
    pass.workspace.reset(mark);
  }
};

class Gemma3 final : public Model {
 public:
  Gemma3(const Hyperparameters& hyperparameters, const nn::Loader& loader)
      : config_(read_config(hyperparameters)),
        embedding_(loader, config_.sizes.vocabulary, config_.sizes.width,
                   nn::OutputHead::is_tied(loader)),
        global_rope_(loader.backend(), config_.global_rope),
        local_rope_(loader.backend(), config_.local_rope),
        head_(loader, config_.sizes.vocabulary, config_.sizes.width, config_.sizes.epsilon,
              config_.norm_offset) {
    shape_ = shape_of(hyperparameters, config_.sizes);
    for (std::int64_t layer = 0; layer < config_.sizes.layers; ++layer) {
      layers_.emplace_back(loader.scope(nn::layer_name(layer)), config_,
                           config_.sliding[static_cast<std::size_t>(layer)]);
      states_.emplace_back(layers_.back().attention.state());
    }
  }

  std::span<const cache::StateSpec> states() const override { return states_; }

  void forward(nn::Pass& pass, Tensor logits) const override {
    const std::size_t mark = pass.workspace.mark();
    const float embedding_scale = std::sqrt(static_cast<float>(config_.sizes.width));
    const Tensor stream = embedding_.forward(pass, embedding_scale);
    const Tensor global_table = global_rope_.table(pass);
    const Tensor local_table = local_rope_.table(pass);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      layers_[i].forward(pass, LayerIndex(static_cast<std::int32_t>(i)), stream,
                         layers_[i].sliding ? local_table : global_table);
    }
    head_.forward(pass, stream, embedding_, logits, config_.logit_softcap);
    pass.workspace.reset(mark);
  }

 private:
  Gemma3Config config_;
  nn::Embedding embedding_;
  nn::Rope global_rope_;
  nn::Rope local_rope_;
  nn::OutputHead head_;
  std::vector<Gemma3Layer> layers_;
  std::vector<cache::StateSpec> states_;
};

}  // namespace

std::unique_ptr<Model> make_gemma3(const Hyperparameters& hyperparameters,
                                   backend::Backend& backend, const nn::LoadOptions& options) {
  const nn::Loader loader(backend, checkpoint::WeightSource(hyperparameters.checkpoint(), kNames),
                          options);
  auto model = std::make_unique<Gemma3>(hyperparameters, loader);
  loader.require_all_used();
  return model;
}

}  // namespace cairn::models
