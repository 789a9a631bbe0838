#pragma once
// Memory for a step's activations: a bump arena of fixed size, so that a step allocates nothing.

#include <cstdint>

#include "tensor/tensor.h"

namespace cairn::nn {

class Workspace {
 public:
  /// Hands out from `memory`. With an empty buffer it only measures (tensors have no data).
  explicit Workspace(Buffer memory) : memory_(std::move(memory)) {}

  /// Uninitialised f32 [rows, columns], aligned to 64 bytes; lives until the reset to a mark before
  /// it.
  Tensor tensor(std::int64_t rows, std::int64_t columns) {
    constexpr std::size_t kAlignment = 64;
    const auto bytes = static_cast<std::size_t>(rows * columns) * sizeof(float);
    std::byte* const base = memory_.data();
    Tensor result{DType::f32, {rows, columns}, base == nullptr ? nullptr : base + used_};
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ > peak_) peak_ = used_;
    CHECK(base == nullptr || used_ <= memory_.size_bytes(), "{} of {} bytes", used_,
          memory_.size_bytes());
    return result;
  }
  std::size_t mark() const { return used_; }
  void reset(std::size_t mark = 0) { used_ = mark; }
  std::size_t peak_bytes() const { return peak_; }

 private:
  Buffer memory_;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace cairn::nn
