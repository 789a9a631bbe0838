// Q4_K: 256 values in 8 groups of 32, each with a scale and an offset of six bits:
// x = d * scale * q - dmin * offset, q in 0..15.
//
//   0      2      4              16                     144 bytes
//   | d    | dmin | scales       | q                    |
//    half   half   12 bytes,      4 runs of 32 bytes,
//                  k_scales.h     2 planes of 4 bits (block.h)

#include "tensor/formats/block.h"
#include "tensor/formats/k_scales.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t q[128];
};
static_assert(sizeof(Block) == 144);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  const float dmin = half_to_float(block.dmin);
  std::uint8_t q[256];
  std::uint8_t scales[8];
  std::uint8_t offsets[8];
  unpack_planes<4, 32>(block.q, q, 256);
  unpack_k_scales(block.scales, scales, offsets);
  for (int group = 0; group < 8; ++group) {
    const float scale = d * static_cast<float>(scales[group]);
    const float offset = dmin * static_cast<float>(offsets[group]);
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      values[i] = scale * static_cast<float>(q[i]) - offset;
    }
  }
}

void encode_block(const float* values, Block& block) {
  const OffsetGroups groups = fit_offset_groups(values, 8, 15.0f, 63.0f);
  block.d = groups.d;
  block.dmin = groups.dmin;
  pack_k_scales(groups.scales.data(), groups.offsets.data(), block.scales);
  pack_planes<4, 32>(groups.q.data(), block.q, 256);
}

}  // namespace

extern const Format q4_k;
const Format q4_k = block_format<Block, 256, decode_block, encode_block>(DType::q4_k, "q4_k");

}  // namespace cairn::tensor::formats
