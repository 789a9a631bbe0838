#pragma once
// The plain decoder that most dense families are: for each layer
//
//   stream += attention(norm(stream));  stream += mlp(norm(stream))
//
// with grouped-query attention, rotary positions and SwiGLU; a last norm and the output matrix. A
// family fills the config and is done.

#include <memory>
#include <vector>

#include "models/model.h"
#include "models/transformer_sizes.h"
#include "nn/load_options.h"
#include "nn/rope.h"

namespace cairn::models {

struct PreNormConfig {
  TransformerSizes sizes;
  nn::RopeConfig rope;
  backend::RopePairs rope_pairs = backend::RopePairs::halves;
  std::vector<std::int64_t> windows;  // by layer, in tokens; 0: all
  bool has_head_norms = false;        // each head's query and key is normed before the rotation
};

/// Loads the weights and requires that none is left over. Throws what nn::Loader throws.
std::unique_ptr<Model> make_pre_norm_decoder(const checkpoint::Hyperparameters& hyperparameters,
                                             PreNormConfig config, backend::Backend& backend,
                                             const nn::LoadOptions& options);

}  // namespace cairn::models
