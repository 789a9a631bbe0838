#pragma once
// A model: what it is, what its layers remember, and its forward pass. Weights are immutable after
// construction; forward() is const and is called by one thread at a time (the pass carries all
// state).

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cache/state_spec.h"
#include "nn/pass.h"

namespace cairn::models {

struct ModelShape {
  std::string architecture;
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;
  std::int64_t layers = 0;
  std::int64_t context_length = 0;  // what it was trained for
  std::int64_t parameters = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  const ModelShape& shape() const { return shape_; }
  /// What each layer remembers.
  virtual std::span<const cache::StateSpec> states() const = 0;
  /// Computes all rows of the batch and writes the logits of batch.logit_rows.
  virtual void forward(nn::Pass& pass, Tensor logits /*[logit_rows, vocabulary]*/) const = 0;

 protected:
  ModelShape shape_;
};

}  // namespace cairn::models
