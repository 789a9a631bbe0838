#pragma once
// Q4_K and Q5_K keep eight scales and eight offsets of six bits in twelve bytes. Upper case are
// scales, lower case offsets, one letter a group, the highest bit first:
//
//   byte 0..3    EEAAAAAA FFBBBBBB GGCCCCCC HHDDDDDD
//   byte 4..7    eeaaaaaa ffbbbbbb ggcccccc hhdddddd
//   byte 8..11   eeeeEEEE ffffFFFF ggggGGGG hhhhHHHH

#include <cstdint>

namespace cairn::tensor::formats {

inline void unpack_k_scales(const std::uint8_t* packed, std::uint8_t* scales,
                            std::uint8_t* offsets) {
  for (int i = 0; i < 4; ++i) {
    const std::uint8_t scale_byte = packed[i];
    const std::uint8_t offset_byte = packed[4 + i];
    const std::uint8_t rest = packed[8 + i];
    scales[i] = scale_byte & 63;
    offsets[i] = offset_byte & 63;
    scales[4 + i] = static_cast<std::uint8_t>((rest & 15) | (scale_byte >> 6) << 4);
    offsets[4 + i] = static_cast<std::uint8_t>((rest >> 4) | (offset_byte >> 6) << 4);
  }
}

inline void pack_k_scales(const std::uint8_t* scales, const std::uint8_t* offsets,
                          std::uint8_t* packed) {
  for (int i = 0; i < 4; ++i) {
    packed[i] = static_cast<std::uint8_t>(scales[i] | (scales[4 + i] >> 4) << 6);
    packed[4 + i] = static_cast<std::uint8_t>(offsets[i] | (offsets[4 + i] >> 4) << 6);
    packed[8 + i] = static_cast<std::uint8_t>((scales[4 + i] & 15) | (offsets[4 + i] & 15) << 4);
  }
}

}  // namespace cairn::tensor::formats
