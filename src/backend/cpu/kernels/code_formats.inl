// The quantized number formats: how codes are packed, what scales them, and how many products may
// be added in 16 bits (N5).
//
// Products of codes <= m with activations <= 127, two in a 16-bit lane, are at most 254 m; so many
// of them may be added before widening:
//
//   m = 15, 24, 31: 4 (31,496)     m = 63: 2 (32,004)
//
// Signed codes are split into |code| <= 128 and the activation with the code's sign: 1 (32,512).

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kSigned = 1;

/// What a number format is made of.
template <class PackedAs, class ScaledBy, int kSumsIn16Bits>
struct CodeFormat {
  using Packing = PackedAs;
  using Scales = ScaledBy;
  using Factors = decltype(Scales(nullptr).of_block(0));
  static constexpr int kDepth = kSumsIn16Bits;
  static constexpr bool kIsSigned = kDepth == kSigned;
};

using Q40 = CodeFormat<Nibbles, HalfScaleAroundZero<8>, 4>;
using Q41 = CodeFormat<Nibbles, HalfScaleAndMinimum, 4>;
using Q4K = CodeFormat<Nibbles, SixBitScaleAndMinimum, 4>;
using Q50 = CodeFormat<FiveBits, HalfScaleAroundZero<16>, 4>;
using Q51 = CodeFormat<FiveBits, HalfScaleAndMinimum, 4>;
using Q5K = CodeFormat<FiveBits, SixBitScaleAndMinimum, 4>;
using Q80 = CodeFormat<WholeBytes, HalfScale, kSigned>;
using Q6K = CodeFormat<SixBits, ByteScales, 2>;
using Q3K = CodeFormat<ThreeBits, SixBitScales, 4>;
using Q2K = CodeFormat<TwoBits, NibbleScalesAndMinima, 4>;
using Iq4Nl = CodeFormat<Looked<CodebookLevels>, HalfScale, kSigned>;
using Iq4Xs = CodeFormat<Looked<CodebookLevels>, ByteScale, kSigned>;
using Mxfp4 = CodeFormat<Looked<Mxfp4Levels>, PowerOfTwo, 4>;

}  // namespace cairn::backend::cpu::CAIRN_ISA
