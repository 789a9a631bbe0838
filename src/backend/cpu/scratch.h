#pragma once
// Memory that grows to the largest step seen and is then reused: no step allocates once warm.

#include <cstddef>

#include "tensor/tensor.h"

namespace cairn::backend::cpu {

class Scratch {
 public:
  /// At least `size_bytes`, aligned to 64; what was there before may be lost. Not thread-safe.
  std::byte* reserve(std::size_t size_bytes) {
    if (memory_.size_bytes() < size_bytes) memory_ = Buffer(size_bytes);
    return memory_.data();
  }

 private:
  Buffer memory_;
};

}  // namespace cairn::backend::cpu
