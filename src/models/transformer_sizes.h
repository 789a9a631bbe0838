#pragma once
// The sizes that every decoder-only transformer has, read and checked in one place. What makes a
// family a family stands in its own file.

#include <cstdint>
#include <string_view>

#include "checkpoint/hyperparameters.h"
#include "models/model.h"

namespace cairn::models {

struct TransformerSizes {
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;   // divides heads
  std::int64_t key_dim = 0;    // of a head; even
  std::int64_t value_dim = 0;  // of a head
  std::int64_t hidden = 0;     // of the MLP
  std::int64_t context_length = 0;
  float epsilon = 0;  // of the norms
};

/// Throws corrupt, naming file and key, for a size that is missing or out of range.
TransformerSizes read_sizes(const checkpoint::Hyperparameters& hyperparameters);

/// Throws unsupported unless config.json names the activation `expected`, or none.
void require_activation(const checkpoint::Hyperparameters& hyperparameters,
                        std::string_view expected);

/// What `inspect` and the engine want to know. Parameters are counted over all tensors of the file.
ModelShape shape_of(const checkpoint::Hyperparameters& hyperparameters,
                    const TransformerSizes& sizes);

}  // namespace cairn::models
