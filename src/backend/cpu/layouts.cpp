#include "backend/cpu/layouts.h"

#include <cstring>
#include <iterator>

#include "backend/cpu/block_parts.h"

namespace cairn::backend::cpu {
namespace {

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
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
  }
};
struct PutScaleAndMinimum {
  static constexpr int kBytes = 32;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    put_half(parts.minimum, unit + 16 + 2 * row);
  }
};
struct PutPowerOfTwo {
  static constexpr int kBytes = 8;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    unit[row] = static_cast<std::byte>(parts.scales[0]);
  }
};
struct PutSixBitScales {
  static constexpr int kBytes = 128;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    PutScaleAndMinimum::put(parts, row, unit);
    for (int block = 0; block < 8; ++block) {
      put_six_bits(parts.scales[block], 16 * block + row, unit + 32);
      put_six_bits(parts.offsets[block], 16 * block + 8 + row, unit + 32);
    }
  }
};
struct PutByteScales {
  static constexpr int kBytes = 16 + 64;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
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
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    for (int i = 0; i < 16; ++i) {
      unit[16 + place_of(i, row)] = static_cast<std::byte>(parts.scales[i]);
    }
  }
};
struct PutSixBitScalesOfHalves {
  static constexpr int kBytes = 16 + 96;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    put_half(parts.d, unit + 2 * row);
    for (int i = 0; i < 16; ++i) put_six_bits(parts.scales[i], place_of(i, row), unit + 16);
  }
};
struct PutNibblesOfHalves {
  static constexpr int kBytes = 32 + 128;
  static void put(const BlockParts& parts, int row, std::byte* unit) {
    PutScaleAndMinimum::put(parts, row, unit);
    for (int i = 0; i < 16; ++i) {
      unit[32 + place_of(i, row)] = static_cast<std::byte>(parts.scales[i]);
    }
  }
};

/// kValues values in kBytes bytes of a file -> a unit of codes and one of scales.
template <int kValues, int kBytes, void (*take)(const std::byte*, BlockParts&), class Packing,
          class Scales>
void interleave_blocks(const std::byte* const rows[kGroupRows], std::int64_t inputs,
                       std::byte* codes, std::byte* scales) {
  constexpr int kBlocks = kValues / 32;
  for (int row = 0; row < kGroupRows; ++row) {
    if (rows[row] == nullptr) continue;
    std::byte* lane = codes + 4 * row;
    for (std::int64_t unit = 0; unit < inputs / kValues; ++unit) {
      BlockParts parts;
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
template <int kValues, int kBytes, void (*take)(const std::byte*, BlockParts&), class Packing,
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
