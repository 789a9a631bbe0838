#pragma once
// Tensor is a view, Buffer owns. Shapes are written outermost first, as in C: [rows, columns].

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/check.h"
#include "tensor/format.h"

namespace cairn::tensor {

/// Up to four dimensions, outermost first; missing ones are not stored.
class Shape {
 public:
  static constexpr int kMaxRank = 4;
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<std::int64_t> dimensions) {
    CHECK(dimensions.size() <= kMaxRank, "rank {}", dimensions.size());
    for (const std::int64_t dimension : dimensions) {
      sizes_[static_cast<std::size_t>(rank_++)] = dimension;
    }
  }
  constexpr int rank() const { return rank_; }
  constexpr std::int64_t operator[](int axis) const {
    return sizes_[static_cast<std::size_t>(axis)];
  }
  constexpr std::int64_t elements() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= (*this)[axis];
    return product;
  }
  /// The innermost dimension: values that lie next to each other.
  constexpr std::int64_t columns() const { return rank_ == 0 ? 1 : (*this)[rank_ - 1]; }
  /// All outer dimensions together.
  constexpr std::int64_t rows() const { return columns() == 0 ? 0 : elements() / columns(); }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

/// A contiguous, row-major view of memory somebody else owns. data may be null for a shapes-only
/// source (planning).
struct Tensor {
  DType dtype = DType::none;
  Shape shape;
  std::byte* data = nullptr;

  std::int64_t rows() const { return shape.rows(); }
  std::int64_t columns() const { return shape.columns(); }
  std::size_t row_bytes() const {
    const Format& format = format_of(dtype);
    return static_cast<std::size_t>(columns()) / format.values_per_block * format.bytes_per_block;
  }
  std::size_t size_bytes() const { return static_cast<std::size_t>(rows()) * row_bytes(); }
  /// REQUIRES: dtype f32.
  float* floats() const {
    CHECK(dtype == DType::f32, "dtype {}", static_cast<int>(dtype));
    return reinterpret_cast<float*>(data);
  }
  float* row(std::int64_t index) const { return floats() + index * columns(); }
};

/// The same for memory that may not be written: weights in a mapped file.
struct ConstTensor {
  DType dtype = DType::none;
  Shape shape;
  const std::byte* data = nullptr;

  std::int64_t rows() const { return shape.rows(); }
  std::int64_t columns() const { return shape.columns(); }
  std::size_t row_bytes() const {
    const Format& format = format_of(dtype);
    return static_cast<std::size_t>(columns()) / format.values_per_block * format.bytes_per_block;
  }
  std::size_t size_bytes() const { return static_cast<std::size_t>(rows()) * row_bytes(); }
  std::span<const std::byte> bytes() const { return {data, size_bytes()}; }
};

/// Owns memory aligned to 64 bytes, zeroed. Move-only. Large buffers take memory from the system
/// page by page as they are first touched.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size_bytes);
  std::byte* data() const { return memory_.get(); }
  std::size_t size_bytes() const { return memory_ ? memory_.get_deleter().size_bytes : 0; }

  /// A large page of the system is found faster by its address, but cleared whole when it is first
  /// touched. Large buffers ask for them; one that is used at few places for a while may do without
  /// until then. Neither changes what is in the buffer; the system may decline both.
  void use_small_pages() const;
  void use_large_pages() const;

 private:
  struct Free {
    std::size_t size_bytes;  // 0 where unique_ptr makes it
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
};

/// Decodes `source` (any supported format) into floats[source.shape.elements()].
void decode_to_floats(const ConstTensor& source, std::span<float> floats);

}  // namespace cairn::tensor

namespace cairn {
using tensor::Buffer;
using tensor::ConstTensor;
using tensor::Shape;
using tensor::Tensor;
}  // namespace cairn
