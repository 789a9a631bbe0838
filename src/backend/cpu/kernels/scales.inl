// Scales of a group of 8 rows, read one unit at a time: a unit covers one block of 32 inputs, or
// the eight blocks of a K-quant. "8 x half" is one half for each row.
//
// A format has one scale for the 32 inputs of a block, or one for each half of 16, and perhaps a
// minimum beside each scale: w = scale * code + minimum. Where the code kZero > 0 stands for 0, the
// minimum is -scale * kZero.

namespace cairn::backend::cpu::CAIRN_ISA {

CAIRN_INLINE Floats load_halves(const std::byte* p) {
  return load_f16(static_cast<const std::uint16_t*>(static_cast<const void*>(p)));
}

template <class Register>
struct OneScaleOf {
  Register scale;
  Register minimum;
};
template <class Register>
struct TwoScalesOf {
  Register scale[2];
  // Minima meet sums of activations: that of the high half all 32, what the low half's is above it
  // the first 16.
  Register minimum;
  Register low_minimum;
};
using OneScale = OneScaleOf<Floats>;
using TwoScales = TwoScalesOf<Floats>;

///   | scale: 8 x half |
struct HalfScale {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 16;
  static constexpr bool kHasMinimum = false;
  static constexpr int kZero = 0;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScale(const std::byte* p) : unit(p) {}
  CAIRN_INLINE OneScale of_block(int) const { return {load_halves(unit), zero_floats()}; }
};

///   | scale: 8 x half |   w = scale * (code - kZero)
template <int kZeroCode>
struct HalfScaleAroundZero {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 16;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = kZeroCode;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScaleAroundZero(const std::byte* p) : unit(p) {}
  CAIRN_INLINE OneScale of_block(int) const {
    const Floats scale = load_halves(unit);
    return {scale, scale * broadcast(static_cast<float>(-kZero))};
  }
};

///   | scale: 8 x half | minimum: 8 x half |
struct HalfScaleAndMinimum {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 32;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = 0;
  const std::byte* unit;
  CAIRN_INLINE explicit HalfScaleAndMinimum(const std::byte* p) : unit(p) {}
  CAIRN_INLINE OneScale of_block(int) const { return {load_halves(unit), load_halves(unit + 16)}; }
};

///   | 8 x e |   w = 2^(e - 128) * (code - 12)
struct PowerOfTwo {
  static constexpr int kBlocks = 1;
  static constexpr int kBytes = 8;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = 12;
  const std::byte* unit;
  CAIRN_INLINE explicit PowerOfTwo(const std::byte* p) : unit(p) {}
  CAIRN_INLINE OneScale of_block(int) const {
    const Ints e = load_8_unsigned(unit);
    const Ints normal = shift_left<23>(e - broadcast_int(1));
    const Ints tiny = select_ints(greater(e, zero_ints()), broadcast_int(0x00400000),
                                  broadcast_int(0x00200000));  // 2^-127 and 2^-128
    const Floats scale = bits_to_floats(select_ints(greater(e, broadcast_int(1)), normal, tiny));
    return {scale, scale * broadcast(static_cast<float>(-kZero))};
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
  static constexpr int kZero = 0;
  Floats d;
  Floats minus_dmin;
  alignas(32) std::uint8_t values[128];
  CAIRN_INLINE explicit SixBitScaleAndMinimum(const std::byte* p)
      : d(load_halves(p)), minus_dmin(zero_floats() - load_halves(p + 16)) {
    unpack_six_bits(p + 32, values);
  }
  CAIRN_INLINE OneScale of_block(int block) const {
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
  static constexpr int kZero = 0;
  const std::byte* unit;
  Floats d;
  CAIRN_INLINE explicit ByteScale(const std::byte* p) : unit(p), d(load_halves(p)) {}
  CAIRN_INLINE OneScale of_block(int block) const {
    return {d * to_floats(load_8_signed(unit + 16 + 8 * block)), zero_floats()};
  }
};

/// Scales and minima of both halves from those of each.
CAIRN_INLINE TwoScales two_scales(Floats low, Floats high, Floats low_minimum,
                                  Floats high_minimum) {
  return {{low, high}, high_minimum, low_minimum - high_minimum};
}

///   | d: 8 x half | block 0: 8 x int8 of the low half, 8 of the high half | ... | block 7 |
///   w = d * scale * (code - 32)
struct ByteScales {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 16 + 128;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = 32;
  const std::byte* unit;
  Floats d;
  CAIRN_INLINE explicit ByteScales(const std::byte* p) : unit(p), d(load_halves(p)) {}
  CAIRN_INLINE TwoScales of_block(int block) const {
    const std::byte* scales = unit + 16 + 16 * block;
    const Floats low = d * to_floats(load_8_signed(scales));
    const Floats high = d * to_floats(load_8_signed(scales + 8));
    const Floats zero = broadcast(static_cast<float>(-kZero));
    return two_scales(low, high, low * zero, high * zero);
  }
};

///   | d: 8 x half | 96 bytes of six bits: the same blocks |   w = d * (scale - 32) * (code - 4)
struct SixBitScales {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 16 + 96;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = 4;
  Floats d;
  alignas(32) std::uint8_t values[128];
  CAIRN_INLINE explicit SixBitScales(const std::byte* p) : d(load_halves(p)) {
    unpack_six_bits(p + 16, values);
  }
  CAIRN_INLINE TwoScales of_block(int block) const {
    const Ints middle = broadcast_int(32);
    const Floats low = d * to_floats(load_8_unsigned(values + 16 * block) - middle);
    const Floats high = d * to_floats(load_8_unsigned(values + 16 * block + 8) - middle);
    const Floats zero = broadcast(static_cast<float>(-kZero));
    return two_scales(low, high, low * zero, high * zero);
  }
};

///   | d: 8 x half | dmin: 8 x half | the same blocks, byte: offset (high nibble), scale (low) |
///   w = d * scale * code - dmin * offset
struct NibbleScalesAndMinima {
  static constexpr int kBlocks = 8;
  static constexpr int kBytes = 32 + 128;
  static constexpr bool kHasMinimum = true;
  static constexpr int kZero = 0;
  const std::byte* unit;
  Floats d;
  Floats minus_dmin;
  CAIRN_INLINE explicit NibbleScalesAndMinima(const std::byte* p)
      : unit(p), d(load_halves(p)), minus_dmin(zero_floats() - load_halves(p + 16)) {}
  CAIRN_INLINE TwoScales of_block(int block) const {
    const Ints low = load_8_unsigned(unit + 32 + 16 * block);
    const Ints high = load_8_unsigned(unit + 32 + 16 * block + 8);
    const Ints nibble = broadcast_int(15);
    return two_scales(d * to_floats(low & nibble), d * to_floats(high & nibble),
                      minus_dmin * to_floats(shift_right_unsigned<4>(low)),
                      minus_dmin * to_floats(shift_right_unsigned<4>(high)));
  }
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
