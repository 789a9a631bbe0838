// qwen3: dense Qwen3. Like qwen2 without biases, but each head's query and key is normed before the
// rotation, and a head's size is free of the width. Yang et al., "Qwen3 technical report", 2025.

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

struct Qwen3Config {
  TransformerSizes sizes;
  nn::RopeConfig rope;
  std::vector<std::int64_t> windows;  // by layer
};

Qwen3Config read_config(const Hyperparameters& hyperparameters) {
  Qwen3Config config;
  config.sizes = read_sizes(hyperparameters);
  require_activation(hyperparameters, "silu");
  config.rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  config.windows = qwen_layer_windows(hyperparameters, config.sizes.layers);
  return config;
}

struct Qwen3Layer {
  nn::RmsNorm attention_norm;
  nn::GroupedAttention attention;
  nn::RmsNorm mlp_norm;
  nn::GatedMlp mlp;

  Qwen3Layer(const nn::Loader& loader, const TransformerSizes& sizes, std::int64_t window_tokens)
      : attention_norm(loader, "attn_norm", sizes.width, sizes.epsilon),
        attention(loader, {.width = sizes.width,
                           .heads = sizes.heads,
                           .kv_heads = sizes.kv_heads,
                           .key_dim = sizes.key_dim,
                           .value_dim = sizes.value_dim,
                           .scale = 1.0F / std::sqrt(static_cast<float>(sizes.key_dim)),
                           .window_tokens = window_tokens}),
        mlp_norm(loader, "ffn_norm", sizes.width, sizes.epsilon),
        mlp(loader, sizes.width, sizes.hidden, backend::Activation::silu) {
    attention.load_head_norms(loader, sizes.epsilon);
  }
};

class Qwen3 final : public Model {
 public:
  Qwen3(const Hyperparameters& hyperparameters, const nn::Loader& loader)
      : config_(read_config(hyperparameters)),
        embedding_(loader, config_.sizes.vocabulary, config_.sizes.width,
                   nn::OutputHead::is_tied(loader)),
        rope_(loader.backend(), config_.rope),
        head_(loader, config_.sizes.vocabulary, config_.sizes.width, config_.sizes.epsilon) {
    shape_ = shape_of(hyperparameters, config_.sizes);
    for (std::int64_t layer = 0; layer < config_.sizes.layers; ++layer) {
      layers_.emplace_back(loader.scope(nn::layer_name(layer)), config_.sizes,
                           config_.windows[static_cast<std::size_t>(layer)]);
      states_.emplace_back(layers_.back().attention.state());
    }
  }

  std::span<const cache::StateSpec> states() const override { return states_; }

  void forward(nn::Pass& pass, Tensor logits) const override {
    const std::size_t mark = pass.workspace.mark();
    const Tensor stream = embedding_.forward(pass);
    const Tensor rope_table = rope_.table(pass);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Qwen3Layer& layer = layers_[i];
      layer.attention.forward(pass, LayerIndex(static_cast<std::int32_t>(i)), stream,
                              layer.attention_norm.op(), rope_table, stream, Store::add);
      layer.mlp.forward(pass, stream, layer.mlp_norm.op(), stream, Store::add);
    }
    head_.forward(pass, stream, embedding_, logits);
    pass.workspace.reset(mark);
  }

 private:
  Qwen3Config config_;
  nn::Embedding embedding_;
  nn::Rope rope_;
  nn::OutputHead head_;
  std::vector<Qwen3Layer> layers_;
  std::vector<cache::StateSpec> states_;
};

}  // namespace

std::unique_ptr<Model> make_qwen3(const Hyperparameters& hyperparameters, backend::Backend& backend,
                                  const nn::LoadOptions& options) {
  const nn::Loader loader(backend, checkpoint::WeightSource(hyperparameters.checkpoint()), options);
  auto model = std::make_unique<Qwen3>(hyperparameters, loader);
  loader.require_all_used();
  return model;
}

}  // namespace cairn::models
