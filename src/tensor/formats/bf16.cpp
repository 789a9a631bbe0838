// BF16: the upper half of a float, little-endian; half.h draws it.

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

void decode_value(const std::uint16_t& bits, float* value) {
  *value = bfloat16_to_float(bits);
}
void encode_value(const float* value, std::uint16_t& bits) {
  bits = float_to_bfloat16(*value);
}

}  // namespace

extern const Format bf16;
const Format bf16 = block_format<std::uint16_t, 1, decode_value, encode_value>(DType::bf16, "bf16");

}  // namespace cairn::tensor::formats
