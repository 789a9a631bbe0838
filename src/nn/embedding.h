#pragma once
// Token embedding; its matrix may serve as the output matrix too.

#include "nn/loader.h"
#include "nn/pass.h"

namespace cairn::nn {

class Embedding {
 public:
  Embedding() = default;
  /// token_embd.weight [vocabulary, width]. `tied`: also multiplied with, as the output matrix.
  Embedding(const Loader& loader, std::int64_t vocabulary, std::int64_t width, bool tied)
      : loaded_(
            loader.weight("token_embd.weight", vocabulary, width,
                          tied ? backend::WeightUse::matmul_and_rows : backend::WeightUse::rows)) {}

  const backend::Weight* weight() const { return loaded_.weight.get(); }

  /// [rows, width]: scale * the embedding of each row's token.
  Tensor forward(Pass& pass, float scale = 1) const {
    Tensor stream = pass.workspace.tensor(pass.batch.row_count(), weight()->columns());
    pass.backend.embed(*weight(), pass.batch.tokens, scale, stream);
    return stream;
  }

 private:
  LoadedWeight loaded_;
};

}  // namespace cairn::nn
