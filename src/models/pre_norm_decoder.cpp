#include "models/pre_norm_decoder.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "nn/attention/grouped.h"
#include "nn/embedding.h"
#include "nn/gated_mlp.h"
#include "nn/output_head.h"

namespace cairn::models {
namespace {

using backend::Store;
using checkpoint::Hyperparameters;

/// What the GGUF files of Llama 3.1 and later have instead of the scaling's numbers.
std::vector<float> rope_divisors(const nn::Loader& loader, const nn::RopeConfig& rope) {
  constexpr std::string_view kName = "rope_freqs.weight";
  return loader.has(kName) ? loader.floats(kName, rope.dimensions / 2) : std::vector<float>();
}

struct Layer {
  nn::RmsNorm attention_norm;
  nn::GroupedAttention attention;
  nn::RmsNorm mlp_norm;
  nn::GatedMlp mlp;

  Layer(const nn::Loader& loader, const PreNormConfig& config, std::int64_t window_tokens)
      : attention_norm(loader, "attn_norm", config.sizes.width, config.sizes.epsilon),
        attention(loader, {.width = config.sizes.width,
                           .heads = config.sizes.heads,
                           .kv_heads = config.sizes.kv_heads,
                           .key_dim = config.sizes.key_dim,
                           .value_dim = config.sizes.value_dim,
                           .scale = 1.0F / std::sqrt(static_cast<float>(config.sizes.key_dim)),
                           .window_tokens = window_tokens,
                           .rope_pairs = config.rope_pairs}),
        mlp_norm(loader, "ffn_norm", config.sizes.width, config.sizes.epsilon),
        mlp(loader, config.sizes.width, config.sizes.hidden, backend::Activation::silu) {
    if (config.has_head_norms) attention.load_head_norms(loader, config.sizes.epsilon);
  }
};

class PreNormDecoder final : public Model {
 public:
  PreNormDecoder(const Hyperparameters& hyperparameters, const PreNormConfig& config,
                 const nn::Loader& loader)
      : embedding_(loader, config.sizes.vocabulary, config.sizes.width,
                   nn::OutputHead::is_tied(loader)),
        rope_(loader.backend(), config.rope, rope_divisors(loader, config.rope)),
        head_(loader, config.sizes.vocabulary, config.sizes.width, config.sizes.epsilon) {
    shape_ = shape_of(hyperparameters, config.sizes);
    for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
      layers_.emplace_back(loader.scope(nn::layer_name(layer)), config,
                           config.windows[static_cast<std::size_t>(layer)]);
      states_.emplace_back(layers_.back().attention.state());
    }
  }

  std::span<const cache::StateSpec> states() const override { return states_; }

  void forward(nn::Pass& pass, Tensor logits) const override {
    const std::size_t mark = pass.workspace.mark();
    const Tensor stream = embedding_.forward(pass);
    const Tensor rope_table = rope_.table(pass);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      layer.attention.forward(pass, LayerIndex(static_cast<std::int32_t>(i)), stream,
                              layer.attention_norm.op(), rope_table, stream, Store::add);
      layer.mlp.forward(pass, stream, layer.mlp_norm.op(), stream, Store::add);
    }
    head_.forward(pass, stream, embedding_, logits);
    pass.workspace.reset(mark);
  }

 private:
  nn::Embedding embedding_;
  nn::Rope rope_;
  nn::OutputHead head_;
  std::vector<Layer> layers_;
  std::vector<cache::StateSpec> states_;
};

}  // namespace

std::unique_ptr<Model> make_pre_norm_decoder(const Hyperparameters& hyperparameters,
                                             PreNormConfig config, backend::Backend& backend,
                                             const nn::LoadOptions& options) {
  if (config.windows.empty()) {
    config.windows.assign(static_cast<std::size_t>(config.sizes.layers), 0);
  }
  const nn::Loader loader(backend, checkpoint::WeightSource(hyperparameters.checkpoint()), options);
  auto model = std::make_unique<PreNormDecoder>(hyperparameters, config, loader);
  loader.require_all_used();
  return model;
}

}  // namespace cairn::models
