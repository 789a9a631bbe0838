#include "backend/cpu/layouts.h"

#include <cstring>

#include "tensor/formats/block.h"
#include "tensor/formats/k_scales.h"

namespace cairn::backend::cpu {
namespace {

using tensor::formats::unpack_k_scales;
using tensor::formats::unpack_planes;

/// A block of a file (32 or 256 values of one row) taken apart.
struct Parts {
  alignas(32) std::uint8_t codes[256];
  std::uint8_t scales[16];
  std::uint8_t offsets[16];
  std::uint16_t d;
  std::uint16_t minimum;
};

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

// How each format's block comes apart (tensor/formats draws them).

void take_q4_0(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  unpack_planes<4, 16>(bytes_at(block + 2), parts.codes, 32);
}
void take_q4_1(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_planes<4, 16>(bytes_at(block + 4), parts.codes, 32);
}
void take_fifth_bits(const std::byte* bits, Parts& parts) {
  std::uint32_t word = 0;
  std::memcpy(&word, bits, sizeof word);
  for (int i = 0; i < 32; ++i) {
    parts.codes[i] = static_cast<std::uint8_t>(parts.codes[i] | ((word >> i) & 1u) << 4);
  }
}
void take_q5_0(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  unpack_planes<4, 16>(bytes_at(block + 6), parts.codes, 32);
  take_fifth_bits(block + 2, parts);
}
void take_q5_1(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_planes<4, 16>(bytes_at(block + 8), parts.codes, 32);
  take_fifth_bits(block + 4, parts);
}
void take_q8_0(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  std::memcpy(parts.codes, block + 2, 32);
}
void take_mxfp4(const std::byte* block, Parts& parts) {
  parts.scales[0] = byte_at(block);
  unpack_planes<4, 16>(bytes_at(block + 1), parts.codes, 32);
}
void take_q4_k(const std::byte* block, Parts& parts) {
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_k_scales(bytes_at(block + 4), parts.scales, parts.offsets);
  unpack_planes<4, 32>(bytes_at(block + 16), parts.codes, 256);
}
void add_plane(const std::uint8_t (&high)[256], int shift, Parts& parts) {
  for (int i = 0; i < 256; ++i) {
    parts.codes[i] = static_cast<std::uint8_t>(parts.codes[i] | high[i] << shift);
  }
}
void take_q5_k(const std::byte* block, Parts& parts) {
  std::uint8_t high[256];
  parts.d = half_at(block);
  parts.minimum = half_at(block + 2);
  unpack_k_scales(bytes_at(block + 4), parts.scales, parts.offsets);
  unpack_planes<1, 32>(bytes_at(block + 16), high, 256);
  unpack_planes<4, 32>(bytes_at(block + 48), parts.codes, 256);
  add_plane(high, 4, parts);
}
void take_q6_k(const std::byte* block, Parts& parts) {
  std::uint8_t high[256];
  unpack_planes<4, 64>(bytes_at(block), parts.codes, 256);
  unpack_planes<2, 32>(bytes_at(block + 128), high, 256);
  add_plane(high, 4, parts);
  std::memcpy(parts.scales, block + 192, 16);
  parts.d = half_at(block + 208);
}
void take_q3_k(const std::byte* block, Parts& parts) {
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
void take_q2_k(const std::byte* block, Parts& parts) {
  std::memcpy(parts.scales, block, 16);
  unpack_planes<2, 32>(bytes_at(block + 16), parts.codes, 256);
  parts.d = half_at(block + 80);
  parts.minimum = half_at(block + 82);
}
void take_iq4_xs(const std::byte* block, Parts& parts) {
  std::uint8_t scale_high[8];
  parts.d = half_at(block);
  unpack_planes<2, 1>(bytes_at(block + 2), scale_high, 8);
  unpack_planes<4, 1>(bytes_at(block + 4), parts.scales, 8);
  for (int i = 0; i < 8; ++i) {
    parts.scales[i] = static_cast<std::uint8_t>((parts.scales[i] | scale_high[i] << 4) - 32);
  }
  unpack_planes<4, 16>(bytes_at(block + 8), parts.codes, 256);
}

// How 32 codes of a row, as eight words of four, share a row's lanes of packed registers
// (kernels/packings.inl draws them). Fields do not cross bytes: words are four bytes at once.

constexpr std::uint32_t in_each_byte(std::uint32_t byte) {
  return byte * 0x01010101u;
}
constexpr std::uint32_t field(std::uint32_t word, int shift, std::uint32_t bits) {
  return (word >> shift) & in_each_byte(bits);
}

struct PackNibbles {
  static constexpr int kRegisters = 4;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    for (int i = 0; i < 4; ++i) p[i] = w[i] | w[i + 4] << 4;
  }
};
struct PackFiveBits {
  static constexpr int kRegisters = 5;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    p[0] = w[0] | field(w[5], 0, 7) << 5;
    p[1] = w[1] | field(w[6], 0, 7) << 5;
    p[2] = w[2] | field(w[7], 3, 1) << 5 | field(w[6], 3, 3) << 6;
    p[3] = w[3] | field(w[7], 0, 7) << 5;
    p[4] = w[4] | field(w[5], 3, 3) << 5 | field(w[7], 4, 1) << 7;
  }
};
struct PackSixBits {
  static constexpr int kRegisters = 6;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    for (int i = 0; i < 6; ++i) p[i] = w[i] | field(w[6 + i / 3], 2 * (i % 3), 3) << 6;
  }
};
struct PackThreeBits {
  static constexpr int kRegisters = 3;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    for (int i = 0; i < 3; ++i) p[i] = w[2 * i] | w[2 * i + 1] << 3;
    p[0] |= field(w[6], 0, 3) << 6;
    p[1] |= field(w[6], 2, 1) << 6 | field(w[7], 0, 1) << 7;
    p[2] |= field(w[7], 1, 3) << 6;
  }
};
struct PackTwoBits {
  static constexpr int kRegisters = 2;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    for (int i = 0; i < 2; ++i) p[i] = w[i] | w[i + 2] << 2 | w[i + 4] << 4 | w[i + 6] << 6;
  }
};
struct PackBytes {
  static constexpr int kRegisters = 8;
  static void pack(const std::uint32_t (&w)[8], std::uint32_t (&p)[8]) {
    for (int i = 0; i < 8; ++i) p[i] = w[i];
  }
};

// How one row's scales enter a unit of eight rows (kernels/scales.inl draws them).

void put_half(std::uint16_t half, std::byte* p) {
  std::memcpy(p, &half, sizeof half);
}

/// Value `index` of 128 six-bit values in 96 zeroed bytes.
void put_six_bits(unsigned value, int index, std::byte* packed) {
  const int lane = index % 32;
  if (index < 96) {
    packed[index] |= static_cast<std::byte>(value);
    return;
  }
  for (int run = 0; run < 3; ++run) {
    packed[32 * run + lane] |= static_cast<std::byte>(((value >> (2 * run)) & 3u) << 6);
  }
}

struct PutScale {
  static constexpr int kBytes = 16;
  static void put(const Parts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
  }
};
struct PutScaleAndMinimum {
  static constexpr int kBytes = 32;
  static void put(const Parts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    put_half(parts.minimum, unit + 16 + 2 * row);
  }
};
struct PutPowerOfTwo {
  static constexpr int kBytes = 8;
  static void put(const Parts& parts, int row, std::byte* unit) {
    unit[row] = static_cast<std::byte>(parts.scales[0]);
  }
};
struct PutSixBitScales {
  static constexpr int kBytes = 128;
  static void put(const Parts& parts, int row, std::byte* unit) {
    PutScaleAndMinimum::put(parts, row, unit);
    for (int block = 0; block < 8; ++block) {
      put_six_bits(parts.scales[block], 16 * block + row, unit + 32);
      put_six_bits(parts.offsets[block], 16 * block + 8 + row, unit + 32);
    }
  }
};
struct PutByteScales {
  static constexpr int kBytes = 16 + 64;
  static void put(const Parts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    for (int block = 0; block < 8; ++block) {
      unit[16 + 8 * block + row] = static_cast<std::byte>(parts.scales[block]);
    }
  }
};
/// Where the scale of 16 inputs stands: blocks of 8 rows' low halves, then their high halves.
constexpr int place_of(int scale, int row) {
  return 8 * scale + row;
}

struct PutByteScalesOfHalves {
  static constexpr int kBytes = 16 + 128;
  static void put(const Parts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    for (int i = 0; i < 16; ++i) {
      unit[16 + place_of(i, row)] = static_cast<std::byte>(parts.scales[i]);
    }
  }
};
struct PutSixBitScalesOfHalves {
  static constexpr int kBytes = 16 + 96;
  static void put(const Parts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    for (int i = 0; i < 16; ++i) put_six_bits(parts.scales[i], place_of(i, row), unit + 16);
  }
};
struct PutNibblesOfHalves {
  static constexpr int kBytes = 32 + 128;
  static void put(const Parts& parts, int row, std::byte* unit) {
    PutScaleAndMinimum::put(parts, row, unit);
    for (int i = 0; i < 16; ++i) {
      unit[32 + place_of(i, row)] = static_cast<std::byte>(parts.scales[i]);
    }
  }
};

/// kValues values in kBytes bytes of a file -> a unit of codes and one of scales.
template <int kValues, int kBytes, void (*take)(const std::byte*, Parts&), class Packing,
          class Scales>
void interleave_blocks(const std::byte* const rows[kGroupRows], std::int64_t inputs,
                       std::byte* codes, std::byte* scales) {
  constexpr int kBlocks = kValues / 32;
  for (int row = 0; row < kGroupRows; ++row) {
    if (rows[row] == nullptr) continue;
    std::byte* lane = codes + 4 * row;
    for (std::int64_t unit = 0; unit < inputs / kValues; ++unit) {
      Parts parts;
      take(rows[row] + unit * kBytes, parts);
      Scales::put(parts, row, scales + unit * Scales::kBytes);
      for (int block = 0; block < kBlocks; ++block) {
        std::uint32_t words[8];
        std::uint32_t packed[8];
        std::memcpy(words, parts.codes + 32 * block, sizeof words);
        Packing::pack(words, packed);
        for (int i = 0; i < Packing::kRegisters; ++i) {
          std::memcpy(lane + 32 * i, packed + i, sizeof packed[i]);
        }
        lane += 32 * Packing::kRegisters;
      }
    }
  }
}

template <class Value>
void interleave_floats(const std::byte* const rows[kGroupRows], std::int64_t inputs,
                       std::byte* codes, std::byte*) {
  for (int row = 0; row < kGroupRows; ++row) {
    if (rows[row] == nullptr) continue;
    for (std::int64_t i = 0; i < inputs; ++i) {
      std::memcpy(codes + (i * kGroupRows + row) * static_cast<std::int64_t>(sizeof(Value)),
                  rows[row] + i * static_cast<std::int64_t>(sizeof(Value)), sizeof(Value));
    }
  }
}

template <class Value>
constexpr Layout float_layout(DType dtype, LayoutId id) {
  return {dtype,
          id,
          ActivationKind::floats,
          1,
          kGroupRows * sizeof(Value),
          0,
          interleave_floats<Value>};
}
template <int kValues, int kBytes, void (*take)(const std::byte*, Parts&), class Packing,
          class Scales>
constexpr Layout block_layout(DType dtype, LayoutId id) {
  return {dtype,
          id,
          ActivationKind::blocks,
          kValues,
          kValues / 32 * 32 * Packing::kRegisters,
          Scales::kBytes,
          interleave_blocks<kValues, kBytes, take, Packing, Scales>};
}

constexpr Layout kLayouts[] = {
    float_layout<float>(DType::f32, LayoutId::f32),
    float_layout<std::uint16_t>(DType::f16, LayoutId::f16),
    float_layout<std::uint16_t>(DType::bf16, LayoutId::bf16),
    block_layout<32, 18, take_q4_0, PackNibbles, PutScale>(DType::q4_0, LayoutId::q4_0),
    block_layout<32, 20, take_q4_1, PackNibbles, PutScaleAndMinimum>(DType::q4_1, LayoutId::q4_1),
    block_layout<256, 144, take_q4_k, PackNibbles, PutSixBitScales>(DType::q4_k, LayoutId::q4_k),
    block_layout<32, 22, take_q5_0, PackFiveBits, PutScale>(DType::q5_0, LayoutId::q5_0),
    block_layout<32, 24, take_q5_1, PackFiveBits, PutScaleAndMinimum>(DType::q5_1, LayoutId::q5_1),
    block_layout<256, 176, take_q5_k, PackFiveBits, PutSixBitScales>(DType::q5_k, LayoutId::q5_k),
    block_layout<32, 34, take_q8_0, PackBytes, PutScale>(DType::q8_0, LayoutId::q8_0),
    block_layout<256, 210, take_q6_k, PackSixBits, PutByteScalesOfHalves>(DType::q6_k,
                                                                          LayoutId::q6_k),
    block_layout<256, 110, take_q3_k, PackThreeBits, PutSixBitScalesOfHalves>(DType::q3_k,
                                                                              LayoutId::q3_k),
    block_layout<256, 84, take_q2_k, PackTwoBits, PutNibblesOfHalves>(DType::q2_k, LayoutId::q2_k),
    block_layout<32, 18, take_q4_0, PackNibbles, PutScale>(DType::iq4_nl, LayoutId::iq4_nl),
    block_layout<256, 136, take_iq4_xs, PackNibbles, PutByteScales>(DType::iq4_xs,
                                                                    LayoutId::iq4_xs),
    block_layout<32, 17, take_mxfp4, PackNibbles, PutPowerOfTwo>(DType::mxfp4, LayoutId::mxfp4),
};
static_assert(std::size(kLayouts) == kLayoutCount);

}  // namespace

const Layout* find_layout(DType dtype) {
  for (const Layout& layout : kLayouts) {
    if (layout.dtype == dtype) return &layout;
  }
  return nullptr;
}

}  // namespace cairn::backend::cpu
