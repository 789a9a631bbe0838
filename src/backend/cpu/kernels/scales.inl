// Scales of a group of 8 rows, read one unit at a time: a unit covers one block of 32 inputs, or
// the eight blocks of a K-quant. "8 x half" is one half for each row.
//
// Narrow formats have, for each block, a scale and a minimum:  w = scale * code + minimum.
// Wide formats have integer factors for 16 inputs:             w = d * factor * code - correction.

namespace cairn::backend::cpu::CAIRN_ISA {

CAIRN_INLINE Floats load_halves(const std::byte* p) {
  return load_f16(static_cast<const std::uint16_t*>(static_cast<const void*>(p)));
}

struct Narrow {
  Floats scale;
  Floats minimum;
};

///   | scale: 8 x half |
struct HalfScale {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 16;
  static constexpr bool kHasMinimum = false;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScale(const std::byte* p) : unit(p) {}
  CAIRN_INLINE Narrow of_block(int) const { return {load_halves(unit), zero_floats()}; }
};

///   | scale: 8 x half |   w = scale * (code - kZero)
template <int kZero>
struct HalfScaleAroundZero {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 16;
  static constexpr bool kHasMinimum = true;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScaleAroundZero(const std::byte* p) : unit(p) {}
  CAIRN_INLINE Narrow of_block(int) const {
    const Floats scale = load_halves(unit);
    return {scale, scale * broadcast(static_cast<float>(-kZero))};
  }
};

///   | scale: 8 x half | minimum: 8 x half |
struct HalfScaleAndMinimum {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 32;
  static constexpr bool kHasMinimum = true;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScaleAndMinimum(const std::byte* p) : unit(p) {}
  CAIRN_INLINE Narrow of_block(int) const { return {load_halves(unit), load_halves(unit + 16)}; }
};

///   | 8 x e |   w = 2^(e - 128) * (code - 12)
struct PowerOfTwo {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 8;
  static constexpr bool kHasMinimum = true;
  const std::byte* unit;
  CAIRN_INLINE explicit PowerOfTwo(const std::byte* p) : unit(p) {}
  CAIRN_INLINE Narrow of_block(int) const {
    const Ints e = load_8_unsigned(unit);
    const Ints normal = shift_left<23>(e - broadcast_int(1));
    const Ints tiny = select_ints(greater(e, zero_ints()), broadcast_int(0x00400000),
                                  broadcast_int(0x00200000));  // 2^-127 and 2^-128
    const Floats scale = bits_to_floats(select_ints(greater(e, broadcast_int(1)), normal, tiny));
    return {scale, scale * broadcast(-12.0F)};
  }

 private:
  static CAIRN_INLINE Ints select_ints(Ints mask, Ints yes, Ints no) {
    return floats_to_bits(select(mask, bits_to_floats(yes), bits_to_floats(no)));
  }
};

/// 128 values of six bits in 96 bytes: the low six bits of each byte, and a fourth run in the upper
/// two bits of the three runs of 32 bytes (its lowest two bits in the first run).
CAIRN_INLINE void unpack_six_bits(const std::byte* packed, std::uint8_t (&values)[128]) {
  const Bytes low_bits = broadcast_byte(0x3F);
  const Bytes a = load_bytes(packed);
  const Bytes b = load_bytes(packed + 32);
  const Bytes c = load_bytes(packed + 64);
  store(values, a & low_bits);
  store(values + 32, b & low_bits);
  store(values + 64, c & low_bits);
  store(values + 96, (shift_right<6>(a) & broadcast_byte(0x03)) |
                         (shift_right<4>(b) & broadcast_byte(0x0C)) |
                         (shift_right<2>(c) & broadcast_byte(0x30)));
}

///   | d: 8 x half | dmin: 8 x half | 96 bytes of six bits: block 0: 8 scales, 8 offsets | ... |
///   w = d * scale * code - dmin * offset
struct SixBitScaleAndMinimum {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 128;
  static constexpr bool kHasMinimum = true;
  Floats d;
  Floats minus_dmin;
  alignas(32) std::uint8_t values[128];
  CAIRN_INLINE explicit SixBitScaleAndMinimum(const std::byte* p)
      : d(load_halves(p)), minus_dmin(zero_floats() - load_halves(p + 16)) {
    unpack_six_bits(p + 32, values);
  }
  CAIRN_INLINE Narrow of_block(int block) const {
    const Floats scale = to_floats(load_8_unsigned(values + 16 * block));
    const Floats offset = to_floats(load_8_unsigned(values + 16 * block + 8));
    return {d * scale, minus_dmin * offset};
  }
};

///   | d: 8 x half | block 0: 8 x int8 scale | ... | block 7 |
struct ByteScale {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 16 + 64;
  static constexpr bool kHasMinimum = false;
  const std::byte* unit;
  Floats d;
  CAIRN_INLINE explicit ByteScale(const std::byte* p) : unit(p), d(load_halves(p)) {}
  CAIRN_INLINE Narrow of_block(int block) const {
    return {d * to_floats(load_8_signed(unit + 16 + 8 * block)), zero_floats()};
  }
};

/// Factors of one block of a wide format, in pairs to be multiplied with pairs of 16-bit sums: each
/// row's lane holds the factor of inputs 0..15 twice, or that of inputs 16..31 twice. `correction`
/// has one factor of each half, to be multiplied with the activations' half_sums.
struct Wide {
  Shorts low;
  Shorts high;
  Shorts correction;
};

/// block: | row 0: low high | ... | row 7: low high | of int8 factors
///   | d: 8 x half | block 0 | ... | block 7 |     w = d * factor * (code - 32)
struct ByteFactors {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 16 + 128;
  static constexpr bool kHasOffsets = false;
  const std::byte* unit;
  Floats d;
  CAIRN_INLINE explicit ByteFactors(const std::byte* p) : unit(p), d(load_halves(p)) {}
  CAIRN_INLINE Wide of_block(int block) const {
    const Shorts factors = load_16_signed(unit + 16 + 16 * block);
    return {even_twice(factors), odd_twice(factors), shift_left<5>(factors)};
  }
};

///   | d: 8 x half | 96 bytes of six bits: the same blocks |   w = d * (factor - 32) * (code - 4)
struct SixBitFactors {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 16 + 96;
  static constexpr bool kHasOffsets = false;
  Floats d;
  alignas(32) std::uint8_t values[128];
  CAIRN_INLINE explicit SixBitFactors(const std::byte* p) : d(load_halves(p)) {
    unpack_six_bits(p + 16, values);
  }
  CAIRN_INLINE Wide of_block(int block) const {
    const Shorts factors = load_16_signed(values + 16 * block) + broadcast_short(-32);
    return {even_twice(factors), odd_twice(factors), shift_left<2>(factors)};
  }
};

///   | d: 8 x half | dmin: 8 x half | the same blocks, byte: offset (high nibble), factor (low) |
///   w = d * factor * code - dmin * offset
struct NibbleFactorsAndOffsets {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 32 + 128;
  static constexpr bool kHasOffsets = true;
  const std::byte* unit;
  Floats d;
  Floats minus_dmin;
  CAIRN_INLINE explicit NibbleFactorsAndOffsets(const std::byte* p)
      : unit(p), d(load_halves(p)), minus_dmin(zero_floats() - load_halves(p + 16)) {}
  CAIRN_INLINE Wide of_block(int block) const {
    const Shorts both = load_16_unsigned(unit + 32 + 16 * block);
    const Shorts factors = both & broadcast_short(15);
    return {even_twice(factors), odd_twice(factors), shift_right<4>(both)};
  }
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
