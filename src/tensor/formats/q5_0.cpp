// Q5_0: 32 values, one scale: x = d * (q - 16), q in 0..31.
//
//   0      2            6                                22 bytes
//   | d    | fifth bits | nibbles                        |
//    half   bit j of 32: q[j] >> 4
//                        byte j: low = q[j], high = q[j + 16], four bits each

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint8_t fifth_bits[4];
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Block) == 22);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  std::uint8_t low[32];
  std::uint8_t high[32];
  unpack_planes<4, 16>(block.nibbles, low, 32);
  unpack_planes<1, 1>(block.fifth_bits, high, 32);
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>((low[i] | high[i] << 4) - 16);
}

void encode_block(const float* values, Block& block) {
  const SignedSteps steps = signed_steps(values, 32, 16);
  block.d = steps.scale;
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) q[i] = truncate_to(values[i] * steps.inverse + 16.5f, 31.0f);
  pack_planes<4, 16>(q, block.nibbles, 32);
  pack_planes<1, 1>(q, block.fifth_bits, 32, 4);
}

}  // namespace

extern const Format q5_0;
const Format q5_0 = block_format<Block, 32, decode_block, encode_block>(DType::q5_0, "q5_0");

}  // namespace cairn::tensor::formats
