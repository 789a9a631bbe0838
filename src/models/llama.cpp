// llama: the plain decoder of Llama 1 to 3, TinyLlama, SmolLM2 and Mistral. Mistral differs by a
// sliding window. Touvron et al., "LLaMA", 2023; Jiang et al., "Mistral 7B", 2023.

#include <utility>

#include "models/families.h"
#include "models/layer_windows.h"
#include "models/pre_norm_decoder.h"

namespace cairn::models {

std::unique_ptr<Model> make_llama(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options) {
  require_activation(hyperparameters, "silu");
  PreNormConfig config;
  config.sizes = read_sizes(hyperparameters);
  config.rope = nn::read_rope_config(hyperparameters, config.sizes.key_dim);
  // GGUF keeps the rows of q and k in the order of the original checkpoint, whose pairs are
  // adjacent.
  if (hyperparameters.checkpoint().origin() == checkpoint::Origin::gguf) {
    config.rope_pairs = backend::RopePairs::adjacent;
  }
  if (hyperparameters.architecture() == "mistral") {
    config.windows.assign(static_cast<std::size_t>(config.sizes.layers),
                          read_window(hyperparameters));
  }
  return make_pre_norm_decoder(hyperparameters, std::move(config), backend, options);
}

}  // namespace cairn::models
