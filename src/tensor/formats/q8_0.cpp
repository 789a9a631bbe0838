// Q8_0: 32 values, one scale: x = d * q, q in -127..127.
//
//   0      2                                 34 bytes
//   | d    | q0 q1 q2 ... q31                |
//    half   32 x int8

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::int8_t q[32];
};
static_assert(sizeof(Block) == 34);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(block.q[i]) * d;
}

void encode_block(const float* values, Block& block) {
  constexpr float kSteps = 127.0f;
  const float d = std::min(std::fabs(extreme_of(values, 32)) / kSteps, kHalfMax);
  const float inverse = inverse_or_zero(d);
  block.d = float_to_half(d);
  for (int i = 0; i < 32; ++i) {
    // std::round: half away from zero, as the format's other encoders do.
    const float rounded = std::round(values[i] * inverse);
    block.q[i] = static_cast<std::int8_t>(std::min(std::max(-kSteps, rounded), kSteps));
  }
}

}  // namespace

extern const Format q8_0;
const Format q8_0 = block_format<Block, 32, decode_block, encode_block>(DType::q8_0, "q8_0");

}  // namespace cairn::tensor::formats
