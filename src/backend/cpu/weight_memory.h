#pragma once
// Memory of prepared weights, side by side in large blocks: a model has hundreds of matrices, many
// of them too small for a large page of their own, and each large page is one fault while loading
// and one address lookup while streaming. Not thread-safe.

#include <cstddef>
#include <memory>

#include "tensor/tensor.h"

namespace cairn::backend::cpu {

class WeightMemory {
 public:
  /// Zeroed, aligned to 64 bytes. A block lives as long as a part of it is held. Throws
  /// out_of_memory.
  std::shared_ptr<std::byte> allocate(std::size_t size_bytes);

 private:
  std::shared_ptr<Buffer> block_;
  std::size_t used_bytes_ = 0;
};

}  // namespace cairn::backend::cpu
