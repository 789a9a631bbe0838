// Codes of 8 rows x 32 inputs, unpacked to eight registers. Register j holds, for each row, the
// four codes of inputs 4j..4j+3 in the row's 32-bit lane, so that four activation bytes, repeated,
// meet them in all rows at once and no sum crosses lanes:
//
//   register j:   row 0: 4j 4j+1 4j+2 4j+3 | row 1: 4j .. 4j+3 | ... | row 7
//
// Packed, bytes of the same place in consecutive registers share their bits as drawn below (the
// highest bit first; one letter a code). layouts.cpp packs.

namespace cairn::backend::cpu::CAIRN_ISA {

template <class Register>
struct CodesOf {
  Register w[8];
};
using Codes = CodesOf<Bytes>;

CAIRN_INLINE Bytes register_of(const std::byte* packed, int index) {
  return load_bytes(packed + 32 * index);
}

///   four registers of bbbbaaaa: register i = codes i (low) and i + 4 (high)
struct Nibbles {
  static constexpr int kRegisters = 4;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes low_bits = broadcast_byte(0x0F);
    Codes codes;
    for (int i = 0; i < 4; ++i) {
      const Bytes p = register_of(packed, i);
      codes.w[i] = p & low_bits;
      codes.w[i + 4] = shift_right<4>(p) & low_bits;
    }
    return codes;
  }
};

///   p0: FFF AAAAA   p1: GGG BBBBB   p2: GGH CCCCC   p3: HHH DDDDD   p4: HFF EEEEE
struct FiveBits {
  static constexpr int kRegisters = 5;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes low_bits = broadcast_byte(0x1F);
    const Bytes three = broadcast_byte(0x07);
    const Bytes upper_two = broadcast_byte(0x18);
    Bytes p[5];
    Codes codes;
    for (int i = 0; i < 5; ++i) {
      p[i] = register_of(packed, i);
      codes.w[i] = p[i] & low_bits;
    }
    codes.w[5] = (shift_right<5>(p[0]) & three) | (shift_right<2>(p[4]) & upper_two);
    codes.w[6] = (shift_right<5>(p[1]) & three) | (shift_right<3>(p[2]) & upper_two);
    codes.w[7] = (shift_right<5>(p[3]) & three) | (shift_right<2>(p[2]) & broadcast_byte(0x08)) |
                 (shift_right<3>(p[4]) & broadcast_byte(0x10));
    return codes;
  }
};

///   p0: GG AAAAAA   p1: GG BBBBBB   p2: GG CCCCCC   p3: HH DDDDDD   p4: HH EEEEEE   p5: HH FFFFFF
///   G and H: the lowest two bits in p0 and p3, the highest in p2 and p5
struct SixBits {
  static constexpr int kRegisters = 6;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes low_bits = broadcast_byte(0x3F);
    Bytes p[6];
    Codes codes;
    for (int i = 0; i < 6; ++i) {
      p[i] = register_of(packed, i);
      codes.w[i] = p[i] & low_bits;
    }
    for (int i = 0; i < 2; ++i) {
      codes.w[6 + i] = (shift_right<6>(p[3 * i]) & broadcast_byte(0x03)) |
                       (shift_right<4>(p[3 * i + 1]) & broadcast_byte(0x0C)) |
                       (shift_right<2>(p[3 * i + 2]) & broadcast_byte(0x30));
    }
    return codes;
  }
};

///   p0: GG BBB AAA   p1: HG DDD CCC   p2: HH FFF EEE
///   G: the low two bits in p0, the highest at bit 6 of p1; H: the lowest at bit 7 of p1
struct ThreeBits {
  static constexpr int kRegisters = 3;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes low_bits = broadcast_byte(0x07);
    Bytes p[3];
    Codes codes;
    for (int i = 0; i < 3; ++i) {
      p[i] = register_of(packed, i);
      codes.w[2 * i] = p[i] & low_bits;
      codes.w[2 * i + 1] = shift_right<3>(p[i]) & low_bits;
    }
    codes.w[6] = (shift_right<6>(p[0]) & broadcast_byte(0x03)) |
                 (shift_right<4>(p[1]) & broadcast_byte(0x04));
    codes.w[7] = (shift_right<7>(p[1]) & broadcast_byte(0x01)) |
                 (shift_right<5>(p[2]) & broadcast_byte(0x06));
    return codes;
  }
};

///   two registers of ddccbbaa: register i = codes i, i + 2, i + 4, i + 6
struct TwoBits {
  static constexpr int kRegisters = 2;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes low_bits = broadcast_byte(0x03);
    Codes codes;
    for (int i = 0; i < 2; ++i) {
      const Bytes p = register_of(packed, i);
      codes.w[i] = p & low_bits;
      codes.w[i + 2] = shift_right<2>(p) & low_bits;
      codes.w[i + 4] = shift_right<4>(p) & low_bits;
      codes.w[i + 6] = shift_right<6>(p) & low_bits;
    }
    return codes;
  }
};

/// Signed bytes, as they are.
struct WholeBytes {
  static constexpr int kRegisters = 8;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    Codes codes;
    for (int i = 0; i < 8; ++i) codes.w[i] = register_of(packed, i);
    return codes;
  }
};

/// Nibbles that stand for sixteen levels.
template <class Levels>
struct Looked {
  static constexpr int kRegisters = Nibbles::kRegisters;
  static CAIRN_INLINE Codes unpack(const std::byte* packed) {
    const Bytes table = broadcast_16_bytes(Levels::kTable);
    Codes codes = Nibbles::unpack(packed);
    for (Bytes& code : codes.w) code = look_up(table, code);
    return codes;
  }
};

/// IQ4_NL and IQ4_XS.
struct CodebookLevels {
  static constexpr std::int8_t kTable[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};
};
/// MXFP4: twice the value, plus 12 to be unsigned.
struct Mxfp4Levels {
  static constexpr std::int8_t kTable[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                             12, 11, 10, 9,  8,  6,  4,  0};
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
