// Q4_1: 32 values, a scale and a minimum: x = d * q + m, q in 0..15.
//
//   0      2      4                                 20 bytes
//   | d    | m    | nibbles                         |
//    half   half   byte j: low = q[j], high = q[j + 16]

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Block) == 20);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  const float m = half_to_float(block.m);
  std::uint8_t q[32];
  unpack_planes<4, 16>(block.nibbles, q, 32);
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>(q[i]) + m;
}

void encode_block(const float* values, Block& block) {
  const OffsetSteps steps = offset_steps(values, 32, 15);
  block.d = steps.scale;
  block.m = steps.minimum_half;
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) {
    q[i] = truncate_to((values[i] - steps.minimum) * steps.inverse + 0.5f, 15.0f);
  }
  pack_planes<4, 16>(q, block.nibbles, 32);
}

}  // namespace

extern const Format q4_1;
const Format q4_1 = block_format<Block, 32, decode_block, encode_block>(DType::q4_1, "q4_1");

}  // namespace cairn::tensor::formats
