// IQ4_XS: 256 values in 8 groups of 32, each with a signed scale of six bits, and a fixed codebook:
// x = d * (scale - 32) * codebook[q], q in 0..15.
//
//   0      2                4                8                     136 bytes
//   | d    | scales         | scales         | q                   |
//    half   high two bits,   low nibbles,     8 runs of 16 bytes,
//           2 runs of 1      4 runs of 1      2 planes of 4 bits
//           byte             byte             (block.h)

#include "tensor/formats/block.h"
#include "tensor/formats/codebook4.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint8_t scale_high_bits[2];
  std::uint8_t scale_nibbles[4];
  std::uint8_t q[128];
};
static_assert(sizeof(Block) == 136);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  std::uint8_t q[256];
  std::uint8_t scale_low[8];
  std::uint8_t scale_high[8];
  unpack_planes<4, 16>(block.q, q, 256);
  unpack_planes<4, 1>(block.scale_nibbles, scale_low, 8);
  unpack_planes<2, 1>(block.scale_high_bits, scale_high, 8);
  for (int group = 0; group < 8; ++group) {
    const float scale = d * static_cast<float>((scale_low[group] | scale_high[group] << 4) - 32);
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      values[i] = scale * static_cast<float>(kCodebook4[q[i]]);
    }
  }
}

void encode_block(const float* values, Block& block) {
  const ScaledGroups groups =
      fit_scaled_groups(values, 8, kCodebook4.front(), 32.0f, kNearestLevelInCodebook4);
  block.d = groups.d;
  const float d = half_to_float(groups.d);
  std::uint8_t scales[8];
  std::uint8_t q[256];
  for (int group = 0; group < 8; ++group) {
    scales[group] = static_cast<std::uint8_t>(groups.scales[group] + 32);
    const float inverse = inverse_or_zero(d * groups.scales[group]);
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      q[i] = nearest_in_codebook4(values[i] * inverse);
    }
  }
  pack_planes<4, 16>(q, block.q, 256);
  pack_planes<4, 1>(scales, block.scale_nibbles, 8);
  pack_planes<2, 1>(scales, block.scale_high_bits, 8, 4);
}

}  // namespace

extern const Format iq4_xs;
const Format iq4_xs = block_format<Block, 256, decode_block, encode_block>(DType::iq4_xs, "iq4_xs");

}  // namespace cairn::tensor::formats
