// Q3_K: 256 values in 16 groups of 16, each with a signed scale of six bits:
// x = d * (scale - 32) * (q - 4), q in 0..7.
//
//   0              32                   96            104          108    110 bytes
//   | high bits    | low two bits       | scales      | scales     | d    |
//    1 run of 32    2 runs of 32 bytes,  low nibbles,  high 2 bits, half
//    bytes, 8       4 planes of 2 bits   1 run of 8    1 run of 4
//    planes of 1                         bytes         bytes

#include "tensor/formats/block.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint8_t high_bits[32];
  std::uint8_t low_bits[64];
  std::uint8_t scale_nibbles[8];
  std::uint8_t scale_high_bits[4];
  std::uint16_t d;
};
static_assert(sizeof(Block) == 110);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  std::uint8_t low[256];
  std::uint8_t high[256];
  std::uint8_t scale_low[16];
  std::uint8_t scale_high[16];
  unpack_planes<2, 32>(block.low_bits, low, 256);
  unpack_planes<1, 32>(block.high_bits, high, 256);
  unpack_planes<4, 8>(block.scale_nibbles, scale_low, 16);
  unpack_planes<2, 4>(block.scale_high_bits, scale_high, 16);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>((scale_low[group] | scale_high[group] << 4) - 32);
    for (int i = group * 16; i < group * 16 + 16; ++i) {
      values[i] = scale * static_cast<float>((low[i] | high[i] << 2) - 4);
    }
  }
}

void encode_block(const float* values, Block& block) {
  const ScaledGroups groups = fit_scaled_groups(
      values, 16, -4.0f, 32.0f, [](float value) { return nearest_integer(value, -4.0f, 3.0f); });
  block.d = groups.d;
  const float d = half_to_float(groups.d);
  std::uint8_t scales[16];
  std::uint8_t q[256];
  for (int group = 0; group < 16; ++group) {
    scales[group] = static_cast<std::uint8_t>(groups.scales[group] + 32);
    const float inverse = inverse_or_zero(d * groups.scales[group]);
    for (int i = group * 16; i < group * 16 + 16; ++i) {
      q[i] = static_cast<std::uint8_t>(nearest_integer(values[i] * inverse, -4.0f, 3.0f) + 4.0f);
    }
  }
  pack_planes<2, 32>(q, block.low_bits, 256);
  pack_planes<1, 32>(q, block.high_bits, 256, 2);
  pack_planes<4, 8>(scales, block.scale_nibbles, 16);
  pack_planes<2, 4>(scales, block.scale_high_bits, 16, 4);
}

}  // namespace

extern const Format q3_k;
const Format q3_k = block_format<Block, 256, decode_block, encode_block>(DType::q3_k, "q3_k");

}  // namespace cairn::tensor::formats
