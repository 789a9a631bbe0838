// Q4_0: 32 values, one scale: x = d * (q - 8), q in 0..15.
//
//   0      2                                 18 bytes
//   | d    | nibbles                         |
//    half   byte j: low = q[j], high = q[j + 16]

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Block) == 18);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  std::uint8_t q[32];
  unpack_planes<4, 16>(block.nibbles, q, 32);
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>(q[i] - 8);
}

void encode_block(const float* values, Block& block) {
  const SignedSteps steps = signed_steps(values, 32, 8);
  block.d = steps.scale;
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) q[i] = truncate_to(values[i] * steps.inverse + 8.5f, 15.0f);
  pack_planes<4, 16>(q, block.nibbles, 32);
}

}  // namespace

extern const Format q4_0;
const Format q4_0 = block_format<Block, 32, decode_block, encode_block>(DType::q4_0, "q4_0");

}  // namespace cairn::tensor::formats
