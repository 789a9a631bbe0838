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

CAIRN_INLINE OneScaleOf<WideFloats> widened(const OneScale&);
CAIRN_INLINE TwoScalesOf<WideFloats> widened(const TwoScales&);

template <class Format>
struct Panel {
  using Factors = decltype(widened(typename Format::Factors()));
  CodesOf<WideBytes> codes[kPanelBlocks];
  Factors factors[kPanelBlocks];

  CAIRN_INLINE void put(int block, int g, const Codes& unpacked,
                        const typename Format::Factors& scales) {
    const Codes raised_codes = raised<Format>(unpacked);
    for (int j = 0; j < 8; ++j) store_half(&codes[block].w[j], g, raised_codes.w[j]);
    put_factors(factors[block], g, scales);
  }

 private:
  static CAIRN_INLINE void put_factors(OneScaleOf<WideFloats>& to, int g, const OneScale& from) {
    store_half(&to.scale, g, from.scale);
    if constexpr (kRaise<Format> == 0) store_half(&to.minimum, g, from.minimum);
  }
  static CAIRN_INLINE void put_factors(TwoScalesOf<WideFloats>& to, int g, const TwoScales& from) {
    store_half(&to.scale[0], g, from.scale[0]);
    store_half(&to.scale[1], g, from.scale[1]);
    if constexpr (kRaise<Format> == 0) {
      store_half(&to.minimum, g, from.minimum);
      store_half(&to.low_minimum, g, from.low_minimum);
    }
  }
};

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

}  // namespace cairn::backend::cpu::CAIRN_ISA
