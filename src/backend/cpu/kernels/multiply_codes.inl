// Products with quantized weights: integer dot products of 16 inputs, scaled and added in f32 over
// ascending blocks. Integers are exact, so the order of f32 operations per output is the same for
// every tile: that is what makes a row independent of its company.
//
// 16-bit sums (N5): multiply_pairs of codes <= m with activations <= 127 gives at most 254 m, so
// kDepth of them may be added before widening:
//
//   m = 15, 24, 31: 4 (31,496)     m = 63: 2 (32,004)
//
// Signed codes are split into |code| <= 128 and the activation with the code's sign: 1 (32,512).
// Pairs of 16-bit sums times a multiplier <= 127, eight times at most, are below 2^27 in 32 bits.

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kSigned = 1;

/// Four bytes of one activation block for register j.
CAIRN_INLINE Bytes activations_of(const ActivationBlock* x, int j) {
  return broadcast_4_bytes(x->values + 4 * j);
}

/// A tile: kGroups groups of 8 rows by kColumns columns. Each code register that is loaded serves
/// all columns, each broadcast all groups.
template <class Value, int kGroups, int kColumns>
using Tile = Value[kGroups][kColumns];

/// dots (=, +=) products of one half, registers begin..begin+3, kDepth of them in 16 bits, times
/// the column's factor.
template <int kDepth, bool kAdd, int kGroups, int kColumns>
CAIRN_INLINE void unsigned_dots(Tile<Ints, kGroups, kColumns>& dots,
                                const Codes* const (&codes)[kGroups],
                                const ActivationBlock* const (&x)[kColumns], int begin,
                                const Shorts (&factors)[kColumns]) {
  for (int first = begin; first < begin + 4; first += kDepth) {
    Tile<Shorts, kGroups, kColumns> sums;
    for (int j = first; j < first + kDepth; ++j) {
      for (int c = 0; c < kColumns; ++c) {
        const Bytes four = activations_of(x[c], j);
        for (int g = 0; g < kGroups; ++g) {
          const Shorts products = multiply_pairs(codes[g]->w[j], four);
          sums[g][c] = j == first ? products : sums[g][c] + products;
          settle(sums[g][c]);
        }
      }
    }
    for (int c = 0; c < kColumns; ++c) {
      for (int g = 0; g < kGroups; ++g) {
        const Ints wide = multiply_pairs(sums[g][c], factors[c]);
        dots[g][c] = !kAdd && first == begin ? wide : dots[g][c] + wide;
      }
    }
  }
}

/// The same for signed codes.
template <bool kAdd, int kGroups, int kColumns>
CAIRN_INLINE void signed_dots(Tile<Ints, kGroups, kColumns>& dots,
                              const Codes* const (&codes)[kGroups],
                              const ActivationBlock* const (&x)[kColumns], int begin,
                              const Shorts (&factors)[kColumns]) {
  for (int j = begin; j < begin + 4; ++j) {
    for (int g = 0; g < kGroups; ++g) {
      const Bytes code = codes[g]->w[j];
      const Bytes magnitude = absolute(code);
      for (int c = 0; c < kColumns; ++c) {
        const Bytes signed_x = negate_by(activations_of(x[c], j), code);
        const Ints products = multiply_pairs(multiply_pairs(magnitude, signed_x), factors[c]);
        dots[g][c] = !kAdd && j == begin ? products : dots[g][c] + products;
        settle(dots[g][c]);
      }
    }
  }
}

template <int kDepth, bool kAdd, int kGroups, int kColumns>
CAIRN_INLINE void dots_of_half(Tile<Ints, kGroups, kColumns>& dots,
                               const Codes* const (&codes)[kGroups],
                               const ActivationBlock* const (&x)[kColumns], int half,
                               const Shorts (&factors)[kColumns]) {
  if constexpr (kDepth == kSigned) {
    signed_dots<kAdd, kGroups, kColumns>(dots, codes, x, 4 * half, factors);
  } else {
    unsigned_dots<kDepth, kAdd, kGroups, kColumns>(dots, codes, x, 4 * half, factors);
  }
}

/// sums += one block whose weights have one scale: the halves meet as integers.
template <int kDepth, bool kHasMinimum, int kGroups, int kColumns>
CAIRN_INLINE void add_block(Tile<Floats, kGroups, kColumns>& sums,
                            const Codes* const (&codes)[kGroups],
                            const OneScale* const (&scales)[kGroups],
                            const ActivationBlock* const (&x)[kColumns]) {
  Tile<Ints, kGroups, kColumns> dots;
  Shorts factors[kColumns];
  for (int c = 0; c < kColumns; ++c) factors[c] = broadcast_2_shorts(x[c]->multipliers);
  dots_of_half<kDepth, false, kGroups, kColumns>(dots, codes, x, 0, factors);
  for (int c = 0; c < kColumns; ++c) factors[c] = broadcast_2_shorts(x[c]->multipliers + 2);
  dots_of_half<kDepth, true, kGroups, kColumns>(dots, codes, x, 1, factors);
  for (int c = 0; c < kColumns; ++c) {
    const Floats scale = broadcast(x[c]->scale);
    const Floats scaled_sum = broadcast(x[c]->scaled_sum);
    for (int g = 0; g < kGroups; ++g) {
      Floats sum = multiply_add(to_floats(dots[g][c]), scales[g]->scale * scale, sums[g][c]);
      if constexpr (kHasMinimum) sum = multiply_add(scales[g]->minimum, scaled_sum, sum);
      sums[g][c] = sum;
    }
  }
}

/// sums += one half of a block whose weights have two scales.
template <int kDepth, int kHalf, int kGroups, int kColumns>
CAIRN_INLINE void add_half(Tile<Floats, kGroups, kColumns>& sums,
                           const Codes* const (&codes)[kGroups],
                           const TwoScales* const (&scales)[kGroups],
                           const ActivationBlock* const (&x)[kColumns]) {
  Tile<Ints, kGroups, kColumns> dots;
  Shorts ones[kColumns];
  for (int c = 0; c < kColumns; ++c) ones[c] = broadcast_short(1);
  dots_of_half<kDepth, false, kGroups, kColumns>(dots, codes, x, kHalf, ones);
  for (int c = 0; c < kColumns; ++c) {
    const Floats scale = broadcast(x[c]->half_scales[kHalf]);
    for (int g = 0; g < kGroups; ++g) {
      const Floats scaled = to_floats(dots[g][c]) * scale;
      sums[g][c] = multiply_add(scaled, scales[g]->scale[kHalf], sums[g][c]);
      settle(sums[g][c]);
    }
  }
}

/// sums += one such block.
template <int kDepth, bool kHasMinimum, int kGroups, int kColumns>
CAIRN_INLINE void add_block(Tile<Floats, kGroups, kColumns>& sums,
                            const Codes* const (&codes)[kGroups],
                            const TwoScales* const (&scales)[kGroups],
                            const ActivationBlock* const (&x)[kColumns]) {
  static_assert(kHasMinimum);
  add_half<kDepth, 0, kGroups, kColumns>(sums, codes, scales, x);
  add_half<kDepth, 1, kGroups, kColumns>(sums, codes, scales, x);
  for (int c = 0; c < kColumns; ++c) {
    const Floats all = broadcast(x[c]->scaled_sum);
    const Floats low = broadcast(x[c]->low_scaled_sum);
    for (int g = 0; g < kGroups; ++g) {
      const Floats sum = multiply_add(scales[g]->minimum, all, sums[g][c]);
      sums[g][c] = multiply_add(scales[g]->low_minimum, low, sum);
    }
  }
}

/// What a number format is made of.
template <class PackedAs, class ScaledBy, int kSumsIn16Bits>
struct CodeFormat {
  using Packing = PackedAs;
  using Scales = ScaledBy;
  using Factors = decltype(Scales(nullptr).of_block(0));
  static constexpr int kDepth = kSumsIn16Bits;
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
  Tile<Floats, 1, 1> sum = {};
  while (x != end) {
    const typename Format::Scales unit(scales);
    for (int block = 0; block < Format::Scales::kBlocks; ++block) {
      const Codes unpacked = Format::Packing::unpack(codes);
      const typename Format::Factors factors = unit.of_block(block);
      add_block<Format::kDepth, Format::Scales::kHasMinimum, 1, 1>(sum, {&unpacked}, {&factors},
                                                                   {x});
      codes += kBlockBytes;
      ++x;
    }
    scales += Format::Scales::kBytes;
  }
  store(p.tile + group * kGroupRows, sum[0][0]);
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
CAIRN_INLINE void unpack_panel(const Product& p, std::int64_t group, std::int64_t first_block,
                               int block_count, Panel<Format>& panel) {
  using Scales = typename Format::Scales;
  constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  const std::byte* codes = p.codes + group * p.codes_stride_bytes + first_block * kBlockBytes;
  const std::byte* scales =
      p.scales + group * p.scales_stride_bytes + first_block / Scales::kBlocks * Scales::kBytes;
  for (int block = 0; block < block_count;) {
    const Scales unit(scales);
    for (int i = 0; i < Scales::kBlocks; ++i, ++block) {
      panel.codes[block] = Format::Packing::unpack(codes + block * kBlockBytes);
      panel.factors[block] = unit.of_block(i);
    }
    scales += Scales::kBytes;
  }
}

/// Asks for what unpack_panel will read, so that it comes while the columns before it pass.
template <class Format>
CAIRN_INLINE void prefetch_panel(const Product& p, std::int64_t group, std::int64_t first_block) {
  using Scales = typename Format::Scales;
  constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  prefetch(p.codes + group * p.codes_stride_bytes + first_block * kBlockBytes,
           kPanelBlocks * kBlockBytes);
  prefetch(
      p.scales + group * p.scales_stride_bytes + first_block / Scales::kBlocks * Scales::kBytes,
      kPanelBlocks / Scales::kBlocks * Scales::kBytes);
}

/// Where a chunk of blocks stands in a product.
struct Chunk {
  std::int64_t group;
  std::int64_t first_block;
  int block_count;
};

/// Adds a chunk to the sums of kColumns columns, which wait in the tile of results meanwhile.
template <class Format, int kGroups, int kColumns>
CAIRN_INLINE void add_panels(const Panel<Format> (&panels)[kGroups], const Product& p,
                             const Chunk& chunk, std::int64_t column) {
  float* results = p.tile + column * p.tile_stride + chunk.group * kGroupRows;
  Tile<Floats, kGroups, kColumns> sums;
  const ActivationBlock* x[kColumns];
  for (int c = 0; c < kColumns; ++c) {
    x[c] = blocks_of(p, column + c) + chunk.first_block;
    for (int g = 0; g < kGroups; ++g) {
      sums[g][c] = chunk.first_block == 0 ? zero_floats()
                                          : load(results + c * p.tile_stride + g * kGroupRows);
    }
  }
  for (int block = 0; block < chunk.block_count; ++block) {
    const Codes* codes[kGroups];
    const typename Format::Factors* factors[kGroups];
    for (int g = 0; g < kGroups; ++g) {
      codes[g] = &panels[g].codes[block];
      factors[g] = &panels[g].factors[block];
    }
    add_block<Format::kDepth, Format::Scales::kHasMinimum, kGroups, kColumns>(sums, codes, factors,
                                                                              x);
    for (int c = 0; c < kColumns; ++c) ++x[c];
  }
  for (int c = 0; c < kColumns; ++c) {
    for (int g = 0; g < kGroups; ++g) {
      store(results + c * p.tile_stride + g * kGroupRows, sums[g][c]);
    }
  }
}

template <class Format, int kGroups>
CAIRN_INLINE void multiply_columns(const Product& p, std::int64_t group) {
  const std::int64_t block_count = p.inputs / kBlockValues;
  Panel<Format> panels[kGroups];
  for (std::int64_t first = 0; first < block_count; first += kPanelBlocks) {
    const std::int64_t left = block_count - first;
    const Chunk chunk{group, first, static_cast<int>(left < kPanelBlocks ? left : kPanelBlocks)};
    for (int g = 0; g < kGroups; ++g) {
      unpack_panel<Format>(p, group + g, first, chunk.block_count, panels[g]);
    }
    const bool last = left <= kPanelBlocks;
    for (int g = 0; g < kGroups; ++g) {
      prefetch_panel<Format>(p, group + g + (last ? kGroups : 0), last ? 0 : first + kPanelBlocks);
    }
    std::int64_t column = 0;
    if constexpr (kHasTiles) {
      for (; column + 3 <= p.column_count; column += 3) {
        add_panels<Format, kGroups, 3>(panels, p, chunk, column);
      }
      for (; column + 2 <= p.column_count; column += 2) {
        add_panels<Format, kGroups, 2>(panels, p, chunk, column);
      }
    }
    for (; column < p.column_count; ++column) {
      add_panels<Format, kGroups, 1>(panels, p, chunk, column);
    }
  }
}

template <class Format>
void multiply_codes(const Product& p) {
  std::int64_t group = 0;
  if (p.column_count == 1) {
    for (; group < p.group_count; ++group) multiply_one_column<Format>(p, group);
    return;
  }
  if constexpr (kHasTiles) {
    for (; group + 2 <= p.group_count; group += 2) multiply_columns<Format, 2>(p, group);
  }
  for (; group < p.group_count; ++group) multiply_columns<Format, 1>(p, group);
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
