// qwen2: Qwen2, Qwen2.5 and Qwen2.5-Coder. The plain decoder; the files bring biases on queries,
// keys and values. Yang et al., "Qwen2 technical report", 2024.

#include <utility>

#include "models/families.h"
#include "models/layer_windows.h"
#include "models/pre_norm_decoder.h"

namespace cairn::models {

std::unique_ptr<Model> make_qwen2(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options) {
  require_activation(hyperparameters, "silu");
  PreNormConfig config;
  config.sizes = read_sizes(hyperparameters);
  config.rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  config.windows = qwen_layer_windows(hyperparameters, config.sizes.layers);
  return make_pre_norm_decoder(hyperparameters, std::move(config), backend, options);
}

}  // namespace cairn::models
