// Q5_K: 256 values in 8 groups of 32, each with a scale and an offset of six bits:
// x = d * scale * q - dmin * offset, q in 0..31.
//
//   0      2      4              16               48                     176 bytes
//   | d    | dmin | scales       | fifth bits     | low nibbles          |
//    half   half   12 bytes,      1 run of 32      4 runs of 32 bytes,
//                  k_scales.h     bytes, 8 planes  2 planes of 4 bits
//                                 of 1 bit         (block.h)

#include "tensor/formats/block.h"
#include "tensor/formats/k_scales.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t fifth_bits[32];
  std::uint8_t nibbles[128];
};
static_assert(sizeof(Block) == 176);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  const float dmin = half_to_float(block.dmin);
  std::uint8_t low[256];
  std::uint8_t high[256];
  std::uint8_t scales[8];
  std::uint8_t offsets[8];
  unpack_planes<4, 32>(block.nibbles, low, 256);
  unpack_planes<1, 32>(block.fifth_bits, high, 256);
  unpack_k_scales(block.scales, scales, offsets);
  for (int group = 0; group < 8; ++group) {
    const float scale = d * static_cast<float>(scales[group]);
    const float offset = dmin * static_cast<float>(offsets[group]);
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      values[i] = scale * static_cast<float>(low[i] | high[i] << 4) - offset;
    }
  }
}

void encode_block(const float* values, Block& block) {
  const OffsetGroups groups = fit_offset_groups(values, 8, 31.0f, 63.0f);
  block.d = groups.d;
  block.dmin = groups.dmin;
  pack_k_scales(groups.scales.data(), groups.offsets.data(), block.scales);
  pack_planes<4, 32>(groups.q.data(), block.nibbles, 256);
  pack_planes<1, 32>(groups.q.data(), block.fifth_bits, 256, 4);
}

}  // namespace

extern const Format q5_k;
const Format q5_k = block_format<Block, 256, decode_block, encode_block>(DType::q5_k, "q5_k");

}  // namespace cairn::tensor::formats
