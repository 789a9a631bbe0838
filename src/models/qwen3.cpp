// qwen3: dense Qwen3. Like qwen2 without biases, but each head's query and key is normed before the
// rotation, and a head's size is free of the width. Yang et al., "Qwen3 technical report", 2025.

#include <utility>

#include "models/families.h"
#include "models/layer_windows.h"
#include "models/pre_norm_decoder.h"

namespace cairn::models {

std::unique_ptr<Model> make_qwen3(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options) {
  require_activation(hyperparameters, "silu");
  PreNormConfig config;
  config.sizes = read_sizes(hyperparameters);
  config.rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  config.windows = qwen_layer_windows(hyperparameters, config.sizes.layers);
  config.has_head_norms = true;
  return make_pre_norm_decoder(hyperparameters, std::move(config), backend, options);
}

}  // namespace cairn::models
