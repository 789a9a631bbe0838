#pragma once
// What a user may choose about a model's weights while they load.

#include <cstdint>
#include <functional>

#include "base/context.h"
#include "tensor/dtype.h"

namespace cairn::nn {

struct LoadOptions {
  /// Quantizes weights that the file keeps in 16 or 32 bits; none: as in the file. A weight whose
  /// rows do not divide into blocks of this format becomes q8_0, or stays as it is if they do not
  /// divide into those either. Norms and biases always stay.
  DType quantize_to = DType::none;
  /// Threads that share the quantizing and the log that says which weights fell back; null:
  /// neither.
  const Context* context = nullptr;
  /// Called after each weight with its bytes in the file; may be empty.
  std::function<void(std::int64_t bytes)> on_weight = {};
};

}  // namespace cairn::nn
