// Integer products where four bytes meet a 32-bit sum in one instruction, for any codes without
// saturation. Codes that are signed, or that stand for 0 at kZero, are raised so that 128 stands
// for 0; sums start at what that adds, so the integers are those of the codes themselves.

namespace cairn::backend::cpu::CAIRN_ISA {

/// What is added to a code; 0 where code 0 is the least value of a format with minima.
template <class Format>
inline constexpr int kRaise = Format::kIsSigned            ? 128
                              : Format::Scales::kZero != 0 ? 128 - Format::Scales::kZero
                                                           : 0;

template <class Format>
CAIRN_INLINE Codes raised(Codes codes) {
  if constexpr (kRaise<Format> != 0) {
    const Bytes raise = broadcast_byte(static_cast<std::int8_t>(kRaise<Format>));
    for (Bytes& code : codes.w) code = code + raise;
  }
  return codes;
}

/// The products of one half of a block.
template <class Format, class Rows, int kColumns>
CAIRN_INLINE void dots_of_half(typename Rows::Ints (&dots)[kColumns],
                               const CodesOf<typename Rows::Bytes>& codes,
                               const ActivationBlock* const (&x)[kColumns], int half) {
  for (int c = 0; c < kColumns; ++c) {
    dots[c] = Rows::broadcast_int(kRaise<Format> != 0 ? x[c]->minus_128_times[half] : 0);
  }
  for (int j = 4 * half; j < 4 * half + 4; ++j) {
    const typename Rows::Bytes code = codes.w[j];
    for (int c = 0; c < kColumns; ++c) {
      dots[c] = add_products_of_4(dots[c], code, x[c]->values + 4 * j);
    }
  }
}

/// sums += one block whose weights have one scale.
template <class Format, class Rows, int kColumns>
CAIRN_INLINE void add_block(typename Rows::Floats (&sums)[kColumns],
                            const CodesOf<typename Rows::Bytes>& codes,
                            const OneScaleOf<typename Rows::Floats>& scales,
                            const ActivationBlock* const (&x)[kColumns]) {
  typename Rows::Ints dots[kColumns];
  typename Rows::Floats both[kColumns];
  dots_of_half<Format, Rows, kColumns>(dots, codes, x, 0);
  for (int c = 0; c < kColumns; ++c) {
    both[c] = to_floats(dots[c]) * Rows::broadcast(x[c]->half_scales[0]);
  }
  dots_of_half<Format, Rows, kColumns>(dots, codes, x, 1);
  const typename Rows::Floats scale = scales.scale;
  for (int c = 0; c < kColumns; ++c) {
    both[c] = multiply_add(to_floats(dots[c]), Rows::broadcast(x[c]->half_scales[1]), both[c]);
    sums[c] = multiply_add(both[c], scale, sums[c]);
  }
  if constexpr (Format::Scales::kHasMinimum && kRaise<Format> == 0) {
    const typename Rows::Floats minimum = scales.minimum;
    for (int c = 0; c < kColumns; ++c) {
      sums[c] = multiply_add(minimum, Rows::broadcast(x[c]->scaled_sum), sums[c]);
    }
  }
}

/// sums += one block whose weights have two scales.
template <class Format, class Rows, int kColumns>
CAIRN_INLINE void add_block(typename Rows::Floats (&sums)[kColumns],
                            const CodesOf<typename Rows::Bytes>& codes,
                            const TwoScalesOf<typename Rows::Floats>& scales,
                            const ActivationBlock* const (&x)[kColumns]) {
  for (int half = 0; half < 2; ++half) {
    typename Rows::Ints dots[kColumns];
    dots_of_half<Format, Rows, kColumns>(dots, codes, x, half);
    const typename Rows::Floats scale = scales.scale[half];
    for (int c = 0; c < kColumns; ++c) {
      const auto scaled = to_floats(dots[c]) * Rows::broadcast(x[c]->half_scales[half]);
      sums[c] = multiply_add(scaled, scale, sums[c]);
    }
  }
  if constexpr (kRaise<Format> == 0) {
    for (int c = 0; c < kColumns; ++c) {
      sums[c] = multiply_add(scales.minimum, Rows::broadcast(x[c]->scaled_sum), sums[c]);
      sums[c] = multiply_add(scales.low_minimum, Rows::broadcast(x[c]->low_scaled_sum), sums[c]);
    }
  }
}

/// One column of one group.
template <class Format>
CAIRN_INLINE void add_block(Floats& sum, const Codes& codes,
                            const typename Format::Factors& factors, const ActivationBlock* x) {
  Floats sums[1] = {sum};
  add_block<Format, OneGroup, 1>(sums, raised<Format>(codes), factors, {x});
  sum = sums[0];
}

/// Groups that stand side by side in a register of a panel.
inline constexpr int kPanelGroups = 2;
/// Columns that share a code register: the first of these tiles that fits what is left. Eight need
/// three registers each.
inline constexpr int kLargestTile = 8;
constexpr int smaller_tile(int columns) {
  return columns / 2;
}

CAIRN_INLINE CodesOf<WideBytes> join(const Codes& low, const Codes& high) {
  CodesOf<WideBytes> codes;
  for (int j = 0; j < 8; ++j) codes.w[j] = join(low.w[j], high.w[j]);
  return codes;
}
CAIRN_INLINE OneScaleOf<WideFloats> join(const OneScale& low, const OneScale& high) {
  return {join(low.scale, high.scale), join(low.minimum, high.minimum)};
}
CAIRN_INLINE TwoScalesOf<WideFloats> join(const TwoScales& low, const TwoScales& high) {
  return {{join(low.scale[0], high.scale[0]), join(low.scale[1], high.scale[1])},
          join(low.minimum, high.minimum),
          join(low.low_minimum, high.low_minimum)};
}

/// Calls visit(codes, factors) for the blocks of a chunk of two groups.
template <class Format, class Visit>
CAIRN_INLINE void take_pairs(const Product& p, const Chunk& chunk, Visit visit) {
  using Scales = typename Format::Scales;
  PackedBlocks<Format> low(p, chunk.group, chunk.first_block);
  PackedBlocks<Format> high(p, chunk.group + 1, chunk.first_block);
  for (int block = 0; block < chunk.block_count; block += Scales::kBlocks) {
    const Scales low_unit(low.scales);
    const Scales high_unit(high.scales);
    for (int i = 0; i < Scales::kBlocks; ++i) {
      const Codes low_codes = raised<Format>(Format::Packing::unpack(low.codes));
      const Codes high_codes = raised<Format>(Format::Packing::unpack(high.codes));
      visit(join(low_codes, high_codes), join(low_unit.of_block(i), high_unit.of_block(i)));
      low.codes += PackedBlocks<Format>::kBlockBytes;
      high.codes += PackedBlocks<Format>::kBlockBytes;
    }
    low.scales += Scales::kBytes;
    high.scales += Scales::kBytes;
  }
}

template <class Format>
struct Panel {
  CodesOf<WideBytes> codes[kPanelBlocks];
  decltype(join(typename Format::Factors(), typename Format::Factors())) factors[kPanelBlocks];
};

template <class Format>
CAIRN_INLINE void unpack_panel(const Product& p, const Chunk& chunk, Panel<Format>& panel) {
  int block = 0;
  take_pairs<Format>(p, chunk, [&](const auto& codes, const auto& factors) {
    panel.codes[block] = codes;
    panel.factors[block] = factors;
    ++block;
  });
}

/// Adds a chunk to the sums of kColumns columns, which wait in the tile of results meanwhile.
template <class Format, int kColumns>
CAIRN_INLINE void add_panel(const Panel<Format>& panel, const Product& p, const Chunk& chunk,
                            std::int64_t column) {
  float* results = results_of(p, chunk, column);
  WideFloats sums[kColumns];
  const ActivationBlock* x[kColumns];
  for (int c = 0; c < kColumns; ++c) {
    x[c] = blocks_of(p, column + c) + chunk.first_block;
    sums[c] =
        chunk.first_block == 0 ? TwoGroups::broadcast(0) : load_16(results + c * p.tile_stride);
  }
  for (int block = 0; block < chunk.block_count; ++block) {
    add_block<Format, TwoGroups, kColumns>(sums, panel.codes[block], panel.factors[block], x);
    for (int c = 0; c < kColumns; ++c) ++x[c];
  }
  for (int c = 0; c < kColumns; ++c) store(results + c * p.tile_stride, sums[c]);
}

/// Up to two tiles of columns: blocks are unpacked to registers for each.
inline constexpr int kFewColumns = 2 * kLargestTile;

template <class Format, int kColumns>
CAIRN_INLINE void multiply_tile(const Product& p, std::int64_t group, std::int64_t column) {
  const Chunk all{group, 0, static_cast<int>(p.inputs / kBlockValues)};
  WideFloats sums[kColumns];
  const ActivationBlock* x[kColumns];
  for (int c = 0; c < kColumns; ++c) {
    sums[c] = TwoGroups::broadcast(0);
    x[c] = blocks_of(p, column + c);
  }
  take_pairs<Format>(p, all, [&](const auto& codes, const auto& factors) {
    add_block<Format, TwoGroups, kColumns>(sums, codes, factors, x);
    for (int c = 0; c < kColumns; ++c) ++x[c];
  });
  for (int c = 0; c < kColumns; ++c) store(results_of(p, all, column + c), sums[c]);
}

/// columns <= kColumns of them.
template <class Format, int kColumns>
CAIRN_INLINE void choose_tile(const Product& p, std::int64_t group, std::int64_t column,
                              std::int64_t columns) {
  if (columns == kColumns) {
    multiply_tile<Format, kColumns>(p, group, column);
  } else if constexpr (kColumns > 1) {
    choose_tile<Format, kColumns - 1>(p, group, column, columns);
  }
}

template <class Format>
CAIRN_INLINE void multiply_few_columns(const Product& p, std::int64_t group) {
  const std::int64_t half = p.column_count > kLargestTile ? p.column_count / 2 : 0;
  if (half > 0) choose_tile<Format, kLargestTile>(p, group, 0, half);
  choose_tile<Format, kLargestTile>(p, group, half, p.column_count - half);
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
