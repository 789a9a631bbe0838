#pragma once
// The last norm and the product with the vocabulary, for the rows whose logits are wanted.

#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/rms_norm.h"

namespace cairn::nn {

class OutputHead {
 public:
  OutputHead() = default;
  /// output_norm; output.weight [vocabulary, width], or the embedding's matrix if the file has none
  /// (the embedding must then be loaded as tied).
  OutputHead(const Loader& loader, std::int64_t vocabulary, std::int64_t width, float epsilon,
             float norm_offset = 0)
      : norm_(loader, "output_norm", width, epsilon, norm_offset) {
    if (!is_tied(loader)) own_ = Linear(loader, "output", vocabulary, width);
  }

  static bool is_tied(const Loader& loader) { return !loader.has("output.weight"); }

  void forward(Pass& pass, Tensor stream /*[rows, width]*/, const Embedding& embedding,
               Tensor logits /*[logit_rows, vocabulary]*/, float softcap = 0) const {
    if (pass.batch.logit_rows.empty()) return;
    const backend::Weight* own = own_.weight();
    pass.backend.output_head({.input = stream,
                              .rows = pass.batch.logit_rows,
                              .norm = norm_.op(),
                              .weight = own != nullptr ? own : embedding.weight(),
                              .bias = own_.bias(),
                              .softcap = softcap,
                              .logits = logits});
  }

 private:
  RmsNorm norm_;
  Linear own_;
};

}  // namespace cairn::nn
