// Q2_K: 256 values in 16 groups of 16, each with a scale and an offset of four bits:
// x = d * scale * q - dmin * offset, q in 0..3.
//
//   0                16                     80     82       84 bytes
//   | 16 x (s, o)    | q                    | d    | dmin |
//    low nibble:      2 runs of 32 bytes,    half   half
//    scale, high:     4 planes of 2 bits
//    offset           (block.h)

#include "tensor/formats/block.h"
#include "tensor/formats/scale_search.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint8_t scales[16];
  std::uint8_t q[64];
  std::uint16_t d;
  std::uint16_t dmin;
};
static_assert(sizeof(Block) == 84);

void decode_block(const Block& block, float* values) {
  const float d = half_to_float(block.d);
  const float dmin = half_to_float(block.dmin);
  std::uint8_t q[256];
  unpack_planes<2, 32>(block.q, q, 256);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(block.scales[group] & 15);
    const float offset = dmin * static_cast<float>(block.scales[group] >> 4);
    for (int i = group * 16; i < group * 16 + 16; ++i) {
      values[i] = scale * static_cast<float>(q[i]) - offset;
    }
  }
}

void encode_block(const float* values, Block& block) {
  const OffsetGroups groups = fit_offset_groups(values, 16, 3.0f, 15.0f);
  block.d = groups.d;
  block.dmin = groups.dmin;
  for (int group = 0; group < 16; ++group) {
    block.scales[group] =
        static_cast<std::uint8_t>(groups.scales[group] | groups.offsets[group] << 4);
  }
  pack_planes<2, 32>(groups.q.data(), block.q, 256);
}

}  // namespace

extern const Format q2_k;
const Format q2_k = block_format<Block, 256, decode_block, encode_block>(DType::q2_k, "q2_k");

}  // namespace cairn::tensor::formats
