// IQ4_NL: 32 values, one scale and a fixed codebook: x = d * codebook[q], q in 0..15.
//
//   0      2                                 18 bytes
//   | d    | nibbles                         |
//    half   byte j: low = q[j], high = q[j + 16]

#include "tensor/formats/block.h"
#include "tensor/formats/codebook4.h"
#include "tensor/formats/scale_search.h"

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
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>(kCodebook4[q[i]]);
}

void encode_block(const float* values, Block& block) {
  block.d = scale_to_half(fit_scale(values, 32, kCodebook4.front(), kNearestLevelInCodebook4));
  const float inverse = inverse_or_zero(half_to_float(block.d));
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) q[i] = nearest_in_codebook4(values[i] * inverse);
  pack_planes<4, 16>(q, block.nibbles, 32);
}

}  // namespace

extern const Format iq4_nl;
const Format iq4_nl = block_format<Block, 32, decode_block, encode_block>(DType::iq4_nl, "iq4_nl");

}  // namespace cairn::tensor::formats
