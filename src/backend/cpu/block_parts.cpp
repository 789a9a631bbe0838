#include "backend/cpu/block_parts.h"

#include <cstring>

#include "tensor/formats/block.h"
#include "tensor/formats/k_scales.h"

namespace cairn::backend::cpu {
namespace {

using tensor::formats::unpack_k_scales;
using tensor::formats::unpack_planes;

std::uint8_t byte_at(const std::byte* p) {
  return static_cast<std::uint8_t>(*p);
}

const std::uint8_t* bytes_at(const std::byte* p) {
  return static_cast<const std::uint8_t*>(static_cast<const void*>(p));
}

std::uint16_t half_at(const std::byte* p) {
  std::uint16_t half = 0;
  std::memcpy(&half, p, sizeof half);
  return half;
}

void take_fifth_bits(const std::byte* bits, BlockParts& parts) {
  std::uint32_t word = 0;
  std::memcpy(&word, bits, sizeof word);
  for (int i = 0; i < 32; ++i) {
    parts.codes[i] = static_cast<std::uint8_t>(parts.codes[i] | ((word >> i) & 1u) << 4);
  }
}

void add_plane(const std::uint8_t (&high)[256], int shift, BlockParts& parts) {
  for (int i = 0; i < 256; ++i) {
    parts.codes[i] = static_cast<std::uint8_t>(parts.codes[i] | high[i] << shift);
  }
}

}  // namespace

void take_q4_0(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  unpack_planes<4, 16>(bytes_at(block + 2), parts.codes, 32);
}

void take_q4_1(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_planes<4, 16>(bytes_at(block + 4), parts.codes, 32);
}

void take_q5_0(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  unpack_planes<4, 16>(bytes_at(block + 6), parts.codes, 32);
  take_fifth_bits(block + 2, parts);
}

void take_q5_1(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_planes<4, 16>(bytes_at(block + 8), parts.codes, 32);
  take_fifth_bits(block + 4, parts);
}

void take_q8_0(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  std::memcpy(parts.codes, block + 2, 32);
}

void take_mxfp4(const std::byte* block, BlockParts& parts) {
  parts.scales[0] = byte_at(block);
  unpack_planes<4, 16>(bytes_at(block + 1), parts.codes, 32);
}

void take_q4_k(const std::byte* block, BlockParts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_k_scales(bytes_at(block + 4), parts.scales, parts.offsets);
  unpack_planes<4, 32>(bytes_at(block + 16), parts.codes, 256);
}

void take_q5_k(const std::byte* block, BlockParts& parts) {
  std::uint8_t high[256];
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_k_scales(bytes_at(block + 4), parts.scales, parts.offsets);
  unpack_planes<1, 32>(bytes_at(block + 16), high, 256);
  unpack_planes<4, 32>(bytes_at(block + 48), parts.codes, 256);
  add_plane(high, 4, parts);
}

void take_q6_k(const std::byte* block, BlockParts& parts) {
  std::uint8_t high[256];
  unpack_planes<4, 64>(bytes_at(block), parts.codes, 256);
  unpack_planes<2, 32>(bytes_at(block + 128), high, 256);
  add_plane(high, 4, parts);
  std::memcpy(parts.scales, block + 192, 16);
  parts.d = half_at(block + 208);
}

void take_q3_k(const std::byte* block, BlockParts& parts) {
  std::uint8_t high[256];
  std::uint8_t scale_high[16];
  unpack_planes<1, 32>(bytes_at(block), high, 256);
  unpack_planes<2, 32>(bytes_at(block + 32), parts.codes, 256);
  add_plane(high, 2, parts);
  unpack_planes<4, 8>(bytes_at(block + 96), parts.scales, 16);
  unpack_planes<2, 4>(bytes_at(block + 104), scale_high, 16);
  for (int i = 0; i < 16; ++i) {
    parts.scales[i] = static_cast<std::uint8_t>(parts.scales[i] | scale_high[i] << 4);
  }
  parts.d = half_at(block + 108);
}

void take_q2_k(const std::byte* block, BlockParts& parts) {
  std::memcpy(parts.scales, block, 16);
  unpack_planes<2, 32>(bytes_at(block + 16), parts.codes, 256);
  parts.d = half_at(block + 80);
  parts.minimum = half_at(block + 82);
}

void take_iq4_xs(const std::byte* block, BlockParts& parts) {
  std::uint8_t scale_high[8];
  parts.d = half_at(block);
  unpack_planes<2, 1>(bytes_at(block + 2), scale_high, 8);
  unpack_planes<4, 1>(bytes_at(block + 4), parts.scales, 8);
  for (int i = 0; i < 8; ++i) {
    parts.scales[i] = static_cast<std::uint8_t>((parts.scales[i] | scale_high[i] << 4) - 32);
  }
  unpack_planes<4, 16>(bytes_at(block + 8), parts.codes, 256);
}

}  // namespace cairn::backend::cpu
