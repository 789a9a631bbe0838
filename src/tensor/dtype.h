#pragma once
// Names of number formats. What a format can do is its Format record (format.h); nothing switches
// on a DType.

#include <cstdint>

namespace cairn::tensor {

/// Values are GGUF's type ids, so that a file's id is a cast after a range check. Ids that no
/// record in formats.cpp supports are still listed there by name and size, and refused by name.
enum class DType : std::uint16_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  iq4_nl = 20,
  iq4_xs = 23,
  i8 = 24,
  i16 = 25,
  i32 = 26,
  i64 = 27,
  f64 = 28,
  bf16 = 30,
  mxfp4 = 39,
  none = 0xFFFF,
};

}  // namespace cairn::tensor

namespace cairn {
using tensor::DType;
}
