#pragma once
// Prepared weights: rows interleaved eight by eight, once, when a weight is loaded. One record per
// number format; the kernels that read a layout (kernels/packings.inl, scales.inl) draw its bytes.
//
//   codes    group 0: block 0: 8 rows x 32 inputs, packed | block 1 | ...      group 1: ...
//   scales   group 0: unit 0: 8 rows x 32 or 256 inputs | unit 1 | ...         group 1: ...
//
// Both are read from front to back. Nothing is widened that would make a weight larger than in its
// file; a matrix whose rows are no multiple of 8 ends in rows of zeros.

#include <cstddef>
#include <cstdint>

#include "backend/cpu/kernel_table.h"
#include "tensor/dtype.h"

namespace cairn::backend::cpu {

struct Layout {
  DType dtype = DType::none;
  LayoutId id = LayoutId::f32;
  ActivationKind activations = ActivationKind::blocks;
  std::int64_t values_per_unit = 32;      // inputs that one scale unit covers
  std::int64_t code_bytes_per_unit = 0;   // of 8 rows
  std::int64_t scale_bytes_per_unit = 0;  // of 8 rows
  /// One group from its rows in the file; rows that are null are left as they are: zero.
  void (*interleave)(const std::byte* const rows[kGroupRows], std::int64_t inputs, std::byte* codes,
                     std::byte* scales) = nullptr;

  std::int64_t codes_per_group(std::int64_t inputs) const {
    return inputs / values_per_unit * code_bytes_per_unit;
  }
  std::int64_t scales_per_group(std::int64_t inputs) const {
    return inputs / values_per_unit * scale_bytes_per_unit;
  }
};

/// The layout of a format, or null: no kernel multiplies it.
const Layout* find_layout(DType dtype);

}  // namespace cairn::backend::cpu
