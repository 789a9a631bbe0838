// Products with quantized weights: integer dot products of 32 inputs, scaled and added in f32 over
// ascending blocks. Integers are exact, so the order of f32 operations per output is the same for
// every tile: that is what makes a row independent of its company.
//
// 16-bit sums (N5): multiply_pairs of codes <= m with activations <= 127 gives at most 254 m, so
// kDepth of them may be added before widening:
//
//   m = 15: 8 (30,480)   m = 24, 31: 4 (31,496)   m = 63: 2 (32,004)   m = 7, 3: 4, a half's worth
//
// Signed codes are split into |code| <= 128 and the activation with the code's sign: 1 (32,512).

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kSigned = 1;

/// Four bytes of one activation block for register j.
CAIRN_INLINE Bytes activations_of(const ActivationBlock* x, int j) {
  return broadcast_4_bytes(x->values + 4 * j);
}

/// Sums of codes * activations over registers begin..end-1, kDepth of them in 16 bits, each sum
/// times `factors`.
template <int kDepth>
CAIRN_INLINE Ints dot(const Codes& codes, const ActivationBlock* x, int begin, int end,
                      Shorts factors) {
  Ints total = zero_ints();
  for (int first = begin; first < end; first += kDepth) {
    Shorts sum = multiply_pairs(codes.w[first], activations_of(x, first));
    for (int j = first + 1; j < first + kDepth; ++j) {
      sum = sum + multiply_pairs(codes.w[j], activations_of(x, j));
    }
    total = total + multiply_pairs(sum, factors);
  }
  return total;
}
CAIRN_INLINE Ints dot_signed(const Codes& codes, const ActivationBlock* x) {
  const Shorts ones = broadcast_short(1);
  Ints total = zero_ints();
  for (int j = 0; j < 8; ++j) {
    const Bytes signed_x = negate_by(activations_of(x, j), codes.w[j]);
    total = total + multiply_pairs(multiply_pairs(absolute(codes.w[j]), signed_x), ones);
  }
  return total;
}

/// One scale, and perhaps one minimum, for 32 inputs.
template <class Packing_, class Scales_, int kDepth>
struct NarrowFormat {
  using Packing = Packing_;
  using Scales = Scales_;
  struct Factors {
    Narrow narrow;
  };
  static CAIRN_INLINE Factors factors_of(const Scales& scales, int block) {
    return {scales.of_block(block)};
  }
  static CAIRN_INLINE Floats add_block(Floats sum, const Codes& codes, const Factors& f,
                                       const ActivationBlock* x) {
    Ints integer;
    if constexpr (kDepth == kSigned) {
      integer = dot_signed(codes, x);
    } else {
      integer = dot<kDepth>(codes, x, 0, 8, broadcast_short(1));
    }
    sum = multiply_add(to_floats(integer), f.narrow.scale * broadcast(x->scale), sum);
    if constexpr (Scales::kHasMinimum) {
      sum = multiply_add(f.narrow.minimum, broadcast(x->scaled_sum), sum);
    }
    return sum;
  }
};

/// An integer factor, and perhaps an offset, for each 16 inputs.
template <class Packing_, class Scales_, int kDepth>
struct WideFormat {
  using Packing = Packing_;
  using Scales = Scales_;
  struct Factors {
    Wide wide;
    Floats d;
    Floats minus_dmin;
  };
  static CAIRN_INLINE Factors factors_of(const Scales& scales, int block) {
    if constexpr (Scales::kHasOffsets) {
      return {scales.of_block(block), scales.d, scales.minus_dmin};
    } else {
      return {scales.of_block(block), scales.d, zero_floats()};
    }
  }
  static CAIRN_INLINE Floats add_block(Floats sum, const Codes& codes, const Factors& f,
                                       const ActivationBlock* x) {
    const Ints low = dot<kDepth>(codes, x, 0, 4, f.wide.low);
    const Ints high = dot<kDepth>(codes, x, 4, 8, f.wide.high);
    const Ints correction = multiply_pairs(f.wide.correction, broadcast_2_shorts(x->half_sums));
    const Floats scale = broadcast(x->scale);
    if constexpr (Scales::kHasOffsets) {
      sum = multiply_add(to_floats(low + high), f.d * scale, sum);
      return multiply_add(to_floats(correction), f.minus_dmin * scale, sum);
    } else {
      return multiply_add(to_floats(low + high - correction), f.d * scale, sum);
    }
  }
};

using Q4_0 = NarrowFormat<Nibbles, HalfScaleAroundZero<8>, 8>;
using Q4_1 = NarrowFormat<Nibbles, HalfScaleAndMinimum, 8>;
using Q4_K = NarrowFormat<Nibbles, SixBitScaleAndMinimum, 8>;
using Q5_0 = NarrowFormat<FiveBits, HalfScaleAroundZero<16>, 4>;
using Q5_1 = NarrowFormat<FiveBits, HalfScaleAndMinimum, 4>;
using Q5_K = NarrowFormat<FiveBits, SixBitScaleAndMinimum, 4>;
using Q8_0 = NarrowFormat<WholeBytes, HalfScale, kSigned>;
using Q6_K = WideFormat<SixBits, ByteFactors, 2>;
using Q3_K = WideFormat<ThreeBits, SixBitFactors, 4>;
using Q2_K = WideFormat<TwoBits, NibbleFactorsAndOffsets, 4>;
using Iq4Nl = NarrowFormat<Looked<CodebookLevels>, HalfScale, kSigned>;
using Iq4Xs = NarrowFormat<Looked<CodebookLevels>, ByteScale, kSigned>;
using Mxfp4 = NarrowFormat<Looked<Mxfp4Levels>, PowerOfTwo, 4>;

CAIRN_INLINE const ActivationBlock* blocks_of(const Product& p, std::int64_t column) {
  return static_cast<const ActivationBlock*>(
      static_cast<const void*>(p.activations + column * p.activations_stride_bytes));
}

/// One column: each block is unpacked to registers and used once.
template <class Format>
CAIRN_INLINE void multiply_one_column(const Product& p, std::int64_t group) {
  constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  const std::byte* codes = p.codes + group * p.codes_stride_bytes;
  const std::byte* scales = p.scales + group * p.scales_stride_bytes;
  const ActivationBlock* x = blocks_of(p, 0);
  const ActivationBlock* const end = x + p.inputs / kBlockValues;
  Floats sum = zero_floats();
  while (x != end) {
    const typename Format::Scales unit(scales);
    for (int block = 0; block < Format::Scales::kBlocks; ++block) {
      sum = Format::add_block(sum, Format::Packing::unpack(codes), Format::factors_of(unit, block),
                              x);
      codes += kBlockBytes;
      ++x;
    }
    scales += Format::Scales::kBytes;
  }
  store(p.tile + group * kGroupRows, sum);
}

/// Blocks of 8 rows that are unpacked once and serve all columns: 256 inputs stay in the
/// first-level cache while the columns pass.
inline constexpr int kPanelBlocks = 8;

template <class Format>
struct Panel {
  Codes codes[kPanelBlocks];
  typename Format::Factors factors[kPanelBlocks];
};

template <class Format>
CAIRN_INLINE void unpack_panel(const std::byte* codes, const std::byte* scales, int block_count,
                               Panel<Format>& panel) {
  constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  for (int block = 0; block < block_count;) {
    const typename Format::Scales unit(scales);
    for (int i = 0; i < Format::Scales::kBlocks; ++i, ++block) {
      panel.codes[block] = Format::Packing::unpack(codes + block * kBlockBytes);
      panel.factors[block] = Format::factors_of(unit, i);
    }
    scales += Format::Scales::kBytes;
  }
}

template <class Format, int kColumns>
CAIRN_INLINE void add_panel(const Panel<Format>& panel, const Product& p, std::int64_t group,
                            std::int64_t column, std::int64_t first_block, int block_count) {
  float* tile = p.tile + column * p.tile_stride + group * kGroupRows;
  Floats sums[kColumns];
  const ActivationBlock* x[kColumns];
  for (int c = 0; c < kColumns; ++c) {
    sums[c] = first_block == 0 ? zero_floats() : load(tile + c * p.tile_stride);
    x[c] = blocks_of(p, column + c) + first_block;
  }
  for (int block = 0; block < block_count; ++block) {
    for (int c = 0; c < kColumns; ++c) {
      sums[c] = Format::add_block(sums[c], panel.codes[block], panel.factors[block], x[c] + block);
    }
  }
  for (int c = 0; c < kColumns; ++c) store(tile + c * p.tile_stride, sums[c]);
}

template <class Format>
CAIRN_INLINE void multiply_columns(const Product& p, std::int64_t group) {
  constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  const std::int64_t block_count = p.inputs / kBlockValues;
  Panel<Format> panel;
  for (std::int64_t first = 0; first < block_count; first += kPanelBlocks) {
    const std::int64_t left = block_count - first;
    const int count = static_cast<int>(left < kPanelBlocks ? left : kPanelBlocks);
    const std::byte* scales = p.scales + group * p.scales_stride_bytes +
                              first / Format::Scales::kBlocks * Format::Scales::kBytes;
    unpack_panel<Format>(p.codes + group * p.codes_stride_bytes + first * kBlockBytes, scales,
                         count, panel);
    std::int64_t column = 0;
    for (; column + 2 <= p.column_count; column += 2) {
      add_panel<Format, 2>(panel, p, group, column, first, count);
    }
    if (column < p.column_count) add_panel<Format, 1>(panel, p, group, column, first, count);
  }
}

template <class Format>
void multiply_codes(const Product& p) {
  for (std::int64_t group = 0; group < p.group_count; ++group) {
    if (p.column_count == 1) {
      multiply_one_column<Format>(p, group);
    } else {
      multiply_columns<Format>(p, group);
    }
  }
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
