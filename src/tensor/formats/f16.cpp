// F16: IEEE 754 binary16, little-endian; half.h draws it.

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

void decode_value(const std::uint16_t& half, float* value) {
  *value = half_to_float(half);
}
void encode_value(const float* value, std::uint16_t& half) {
  half = float_to_half(*value);
}

}  // namespace

extern const Format f16;
const Format f16 = block_format<std::uint16_t, 1, decode_value, encode_value>(DType::f16, "f16");

}  // namespace cairn::tensor::formats
