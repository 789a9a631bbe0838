// Q5_1: 32 values, a scale and a minimum: x = d * q + m, q in 0..31.
//
//   0      2      4            8                                24 bytes
//   | d    | m    | fifth bits | nibbles                        |
//    half   half   bit j of 32: q[j] >> 4
//                               byte j: low = q[j], high = q[j + 16], four bits each

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t fifth_bits[4];
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Block) == 24);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  const float m = half_to_float(block.m);
  std::uint8_t low[32];
  std::uint8_t high[32];
  unpack_planes<4, 16>(block.nibbles, low, 32);
  unpack_planes<1, 1>(block.fifth_bits, high, 32);
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>(low[i] | high[i] << 4) + m;
}

void encode_block(const float* values, Block& block) {
  const OffsetSteps steps = offset_steps(values, 32, 31);
  block.d = steps.scale;
  block.m = steps.minimum_half;
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) {
    q[i] = truncate_to((values[i] - steps.minimum) * steps.inverse + 0.5f, 31.0f);
  }
  pack_planes<4, 16>(q, block.nibbles, 32);
  pack_planes<1, 1>(q, block.fifth_bits, 32, 4);
}

}  // namespace

extern const Format q5_1;
const Format q5_1 = block_format<Block, 32, decode_block, encode_block>(DType::q5_1, "q5_1");

}  // namespace cairn::tensor::formats
