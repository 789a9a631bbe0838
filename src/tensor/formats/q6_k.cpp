// Q6_K: 256 values in 16 groups of 16, each with a scale of eight bits:
// x = d * scale * (q - 32), q in 0..63.
//
//   0                    128                  192         208    210 bytes
//   | low nibbles        | high two bits      | scales    | d    |
//    2 runs of 64 bytes,  2 runs of 32 bytes,  16 x int8   half
//    2 planes of 4 bits   4 planes of 2 bits (block.h)

#include "tensor/formats/block.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint8_t nibbles[128];
  std::uint8_t high_bits[64];
  std::int8_t scales[16];
  std::uint16_t d;
};
static_assert(sizeof(Block) == 210);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  std::uint8_t low[256];
  std::uint8_t high[256];
  unpack_planes<4, 64>(block.nibbles, low, 256);
  unpack_planes<2, 32>(block.high_bits, high, 256);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(block.scales[group]);
    for (int i = group * 16; i < group * 16 + 16; ++i) {
      values[i] = scale * static_cast<float>((low[i] | high[i] << 4) - 32);
    }
  }
}

void encode_block(const float* values, Block& block) {
  const ScaledGroups groups = fit_scaled_groups(values, 16, -32.0f, 128.0f, [](float value) {
    return nearest_integer(value, -32.0f, 31.0f);
  });
  block.d = groups.d;
  const float d = half_to_float(groups.d);
  std::uint8_t q[256];
  for (int group = 0; group < 16; ++group) {
    block.scales[group] = groups.scales[group];
    const float inverse = inverse_or_zero(d * groups.scales[group]);
    for (int i = group * 16; i < group * 16 + 16; ++i) {
      q[i] = static_cast<std::uint8_t>(nearest_integer(values[i] * inverse, -32.0f, 31.0f) + 32.0f);
    }
  }
  pack_planes<4, 64>(q, block.nibbles, 256);
  pack_planes<2, 32>(q, block.high_bits, 256, 4);
}

}  // namespace

extern const Format q6_k;
const Format q6_k = block_format<Block, 256, decode_block, encode_block>(DType::q6_k, "q6_k");

}  // namespace cairn::tensor::formats
