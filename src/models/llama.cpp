// llama: the plain decoder of Llama 1 to 3, TinyLlama, SmolLM2 and Mistral. Pre-norm, grouped-query
// attention with rotary positions, SwiGLU. Mistral differs by a sliding window.
// Touvron et al., "LLaMA", 2023; Jiang et al., "Mistral 7B", 2023.

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

using backend::RopePairs;
using backend::Store;
using checkpoint::Hyperparameters;

struct LlamaConfig {
  TransformerSizes sizes;
  nn::RopeConfig rope;
  RopePairs rope_pairs = RopePairs::halves;
  std::int64_t window_tokens = 0;
};

LlamaConfig read_config(const Hyperparameters& hyperparameters) {
  LlamaConfig config;
  config.sizes = read_sizes(hyperparameters);
  require_activation(hyperparameters, "silu");
  config.rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  // GGUF keeps the rows of q and k in the order of the original checkpoint, whose pairs are
  // adjacent.
  const bool gguf = hyperparameters.checkpoint().origin() == checkpoint::Origin::gguf;
  config.rope_pairs = gguf ? RopePairs::adjacent : RopePairs::halves;
  if (hyperparameters.architecture() == "mistral") {
    config.window_tokens = read_window(hyperparameters);
  }
  return config;
}

/// What the GGUF files of Llama 3.1 and later have instead of the scaling's numbers.
std::vector<float> rope_divisors(const nn::Loader& loader, const nn::RopeConfig& rope) {
  constexpr std::string_view kName = "rope_freqs.weight";
  return loader.has(kName) ? loader.floats(kName, rope.dimensions / 2) : std::vector<float>();
}

struct LlamaLayer {
  nn::RmsNorm attention_norm;
  nn::GroupedAttention attention;
  nn::RmsNorm mlp_norm;
  nn::GatedMlp mlp;

  LlamaLayer(const nn::Loader& loader, const LlamaConfig& config)
      : attention_norm(loader, "attn_norm", config.sizes.width, config.sizes.epsilon),
        attention(loader, {.width = config.sizes.width,
                           .heads = config.sizes.heads,
                           .kv_heads = config.sizes.kv_heads,
                           .key_dim = config.sizes.key_dim,
                           .value_dim = config.sizes.value_dim,
                           .scale = 1.0F / std::sqrt(static_cast<float>(config.sizes.key_dim)),
                           .window_tokens = config.window_tokens,
                           .rope_pairs = config.rope_pairs}),
        mlp_norm(loader, "ffn_norm", config.sizes.width, config.sizes.epsilon),
        mlp(loader, config.sizes.width, config.sizes.hidden, backend::Activation::silu) {}
};

class Llama final : public Model {
 public:
  Llama(const Hyperparameters& hyperparameters, const nn::Loader& loader)
      : config_(read_config(hyperparameters)),
        embedding_(loader, config_.sizes.vocabulary, config_.sizes.width,
                   nn::OutputHead::is_tied(loader)),
        rope_(loader.backend(), config_.rope, rope_divisors(loader, config_.rope)),
        head_(loader, config_.sizes.vocabulary, config_.sizes.width, config_.sizes.epsilon) {
    shape_ = shape_of(hyperparameters, config_.sizes);
    for (std::int64_t layer = 0; layer < config_.sizes.layers; ++layer) {
      layers_.emplace_back(loader.scope(nn::layer_name(layer)), config_);
      states_.emplace_back(layers_.back().attention.state());
    }
  }

  std::span<const cache::StateSpec> states() const override { return states_; }

  void forward(nn::Pass& pass, Tensor logits) const override {
    const std::size_t mark = pass.workspace.mark();
    const Tensor stream = embedding_.forward(pass);
    const Tensor rope_table = rope_.table(pass);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const LlamaLayer& layer = layers_[i];
      layer.attention.forward(pass, LayerIndex(static_cast<std::int32_t>(i)), stream,
                              layer.attention_norm.op(), rope_table, stream, Store::add);
      layer.mlp.forward(pass, stream, layer.mlp_norm.op(), stream, Store::add);
    }
    head_.forward(pass, stream, embedding_, logits);
    pass.workspace.reset(mark);
  }

 private:
  LlamaConfig config_;
  nn::Embedding embedding_;
  nn::Rope rope_;
  nn::OutputHead head_;
  std::vector<LlamaLayer> layers_;
  std::vector<cache::StateSpec> states_;
};

}  // namespace

std::unique_ptr<Model> make_llama(const Hyperparameters& hyperparameters, backend::Backend& backend,
                                  const nn::LoadOptions& options) {
  const nn::Loader loader(backend, checkpoint::WeightSource(hyperparameters.checkpoint()), options);
  auto model = std::make_unique<Llama>(hyperparameters, loader);
  loader.require_all_used();
  return model;
}

}  // namespace cairn::models
