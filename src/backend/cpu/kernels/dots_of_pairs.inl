// Integer products where bytes meet in pairs and pairs are added in 16 bits, as far as the format
// allows (code_formats.inl). They are widened with the multiplier of the half in place of 1: at
// most 32,767 * 127 * 2 in 32 bits, eight times.

namespace cairn::backend::cpu::CAIRN_ISA {

/// Four bytes of one activation block for register j.
CAIRN_INLINE Bytes activations_of(const ActivationBlock* x, int j) {
  return broadcast_4_bytes(x->values + 4 * j);
}

/// A tile: kGroups groups of 8 rows by kColumns columns. Each code register that is loaded serves
/// all columns, each broadcast all groups.
template <class Value, int kGroups, int kColumns>
using Tile = Value[kGroups][kColumns];

/// dots (=, +=) products of one half, registers begin..begin+3, kDepth of them in 16 bits, times
/// factor(column).
template <int kDepth, bool kAdd, int kGroups, int kColumns, class Factor>
CAIRN_INLINE void unsigned_dots(Tile<Ints, kGroups, kColumns>& dots,
                                const Codes* const (&codes)[kGroups],
                                const ActivationBlock* const (&x)[kColumns], int begin,
                                Factor factor) {
  CAIRN_UNROLL
  for (int first = begin; first < begin + 4; first += kDepth) {
    Tile<Shorts, kGroups, kColumns> sums;
    CAIRN_UNROLL
    for (int j = first; j < first + kDepth; ++j) {
      CAIRN_UNROLL
      for (int c = 0; c < kColumns; ++c) {
        const Bytes four = activations_of(x[c], j);
        CAIRN_UNROLL
        for (int g = 0; g < kGroups; ++g) {
          const Shorts products = multiply_pairs(codes[g]->w[j], four);
          sums[g][c] = settled(j == first ? products : sums[g][c] + products);
        }
      }
    }
    CAIRN_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      const Shorts by = settled(factor(c));
      CAIRN_UNROLL
      for (int g = 0; g < kGroups; ++g) {
        const Ints wide = multiply_pairs(sums[g][c], by);
        dots[g][c] = settled(!kAdd && first == begin ? wide : dots[g][c] + wide);
      }
    }
  }
}

/// The same for signed codes.
template <bool kAdd, int kGroups, int kColumns, class Factor>
CAIRN_INLINE void signed_dots(Tile<Ints, kGroups, kColumns>& dots,
                              const Codes* const (&codes)[kGroups],
                              const ActivationBlock* const (&x)[kColumns], int begin,
                              Factor factor) {
  Shorts factors[kColumns];
  CAIRN_UNROLL
  for (int c = 0; c < kColumns; ++c) factors[c] = factor(c);
  CAIRN_UNROLL
  for (int j = begin; j < begin + 4; ++j) {
    CAIRN_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      const Bytes code = codes[g]->w[j];
      const Bytes magnitude = absolute(code);
      CAIRN_UNROLL
      for (int c = 0; c < kColumns; ++c) {
        const Bytes signed_x = negate_by(activations_of(x[c], j), code);
        const Ints products = multiply_pairs(multiply_pairs(magnitude, signed_x), factors[c]);
        dots[g][c] = settled(!kAdd && j == begin ? products : dots[g][c] + products);
      }
    }
  }
}

template <int kDepth, bool kAdd, int kGroups, int kColumns, class Factor>
CAIRN_INLINE void dots_of_half(Tile<Ints, kGroups, kColumns>& dots,
                               const Codes* const (&codes)[kGroups],
                               const ActivationBlock* const (&x)[kColumns], int half,
                               Factor factor) {
  if constexpr (kDepth == kSigned) {
    signed_dots<kAdd, kGroups, kColumns>(dots, codes, x, 4 * half, factor);
  } else {
    unsigned_dots<kDepth, kAdd, kGroups, kColumns>(dots, codes, x, 4 * half, factor);
  }
}

/// Where the sums of a tile wait between blocks: registers are too few to hold them too.
template <int kGroups>
struct Results {
  float* of_group[kGroups] /*[kColumns][stride]*/;
  std::int64_t stride;
  CAIRN_INLINE float* at(int g, int c) const { return of_group[g] + c * stride; }
};

/// results += one block whose weights have one scale: the halves meet as integers.
template <int kDepth, bool kHasMinimum, int kColumns, int kGroups>
CAIRN_INLINE void add_block(const Results<kGroups>& results, const Codes* const (&codes)[kGroups],
                            const OneScale* const (&scales)[kGroups],
                            const ActivationBlock* const (&x)[kColumns]) {
  Tile<Ints, kGroups, kColumns> dots;
  dots_of_half<kDepth, false, kGroups, kColumns>(
      dots, codes, x, 0, [&](int c) { return broadcast_short(x[c]->multipliers[0]); });
  dots_of_half<kDepth, true, kGroups, kColumns>(
      dots, codes, x, 1, [&](int c) { return broadcast_short(x[c]->multipliers[1]); });
  CAIRN_UNROLL
  for (int c = 0; c < kColumns; ++c) {
    const Floats scale = broadcast(x[c]->scale);
    const Floats scaled_sum = broadcast(x[c]->scaled_sum);
    CAIRN_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      float* result = results.at(g, c);
      Floats sum = multiply_add(to_floats(dots[g][c]), scales[g]->scale * scale, load(result));
      if constexpr (kHasMinimum) sum = multiply_add(scales[g]->minimum, scaled_sum, sum);
      store(result, sum);
    }
  }
}

/// results += such a block whose weights have two scales.
template <int kDepth, bool kHasMinimum, int kColumns, int kGroups>
CAIRN_INLINE void add_block(const Results<kGroups>& results, const Codes* const (&codes)[kGroups],
                            const TwoScales* const (&scales)[kGroups],
                            const ActivationBlock* const (&x)[kColumns]) {
  static_assert(kHasMinimum);
  CAIRN_UNROLL
  for (int half = 0; half < 2; ++half) {
    Tile<Ints, kGroups, kColumns> dots;
    dots_of_half<kDepth, false, kGroups, kColumns>(dots, codes, x, half,
                                                   [&](int) { return broadcast_short(1); });
    CAIRN_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      const Floats scale = broadcast(x[c]->half_scales[half]);
      const Floats all = broadcast(x[c]->scaled_sum);
      const Floats low = broadcast(x[c]->low_scaled_sum);
      CAIRN_UNROLL
      for (int g = 0; g < kGroups; ++g) {
        float* result = results.at(g, c);
        const Floats scaled = to_floats(dots[g][c]) * scale;
        Floats sum = multiply_add(scaled, scales[g]->scale[half], load(result));
        if (half == 1) {
          sum = multiply_add(scales[g]->minimum, all, sum);
          sum = multiply_add(scales[g]->low_minimum, low, sum);
        }
        store(result, sum);
      }
    }
  }
}

/// One column of one group.
template <class Format>
CAIRN_INLINE void add_block(Floats& sum, const Codes& codes,
                            const typename Format::Factors& factors, const ActivationBlock* x) {
  alignas(32) float result[8];
  store(result, sum);
  add_block<Format::kDepth, Format::Scales::kHasMinimum, 1, 1>(Results<1>{{result}, 0}, {&codes},
                                                               {&factors}, {x});
  sum = load(result);
}

/// Groups that share an activation once it is in a register.
inline constexpr int kPanelGroups = kHasTiles ? 2 : 1;
/// Columns that share a code register: the first of these tiles that fits what is left.
inline constexpr int kLargestTile = kHasTiles ? 3 : 1;
constexpr int smaller_tile(int columns) {
  return columns - 1;
}

/// No columns are so few that a panel would not pay: unpacked blocks of two groups do not fit the
/// registers.
inline constexpr int kFewColumns = 1;
template <class Format>
CAIRN_INLINE void multiply_few_columns(const Product&, std::int64_t) {}

template <class Format>
struct Panel {
  Codes codes[kPanelGroups][kPanelBlocks];
  typename Format::Factors factors[kPanelGroups][kPanelBlocks];
};

template <class Format>
CAIRN_INLINE void unpack_panel(const Product& p, const Chunk& chunk, Panel<Format>& panel) {
  for (int g = 0; g < kPanelGroups; ++g) {
    PackedBlocks<Format> packed(p, chunk.group + g, chunk.first_block);
    for (int block = 0; block < chunk.block_count;) {
      packed.take_unit([&](const Codes& codes, const typename Format::Factors& factors) {
        panel.codes[g][block] = codes;
        panel.factors[g][block] = factors;
        ++block;
      });
    }
  }
}

/// Adds a chunk to the results of kColumns columns.
template <class Format, int kColumns>
CAIRN_INLINE void add_panel(const Panel<Format>& panel, const Product& p, const Chunk& chunk,
                            std::int64_t column) {
  Results<kPanelGroups> results;
  results.stride = p.tile_stride;
  CAIRN_UNROLL
  for (int g = 0; g < kPanelGroups; ++g) {
    results.of_group[g] = results_of(p, chunk, column) + g * kGroupRows;
    for (int c = 0; c < kColumns && chunk.first_block == 0; ++c) {
      store(results.at(g, c), zero_floats());
    }
  }
  const ActivationBlock* x[kColumns];
  CAIRN_UNROLL
  for (int c = 0; c < kColumns; ++c) x[c] = blocks_of(p, column + c) + chunk.first_block;
  for (int block = 0; block < chunk.block_count; ++block) {
    const Codes* codes[kPanelGroups];
    const typename Format::Factors* factors[kPanelGroups];
    CAIRN_UNROLL
    for (int g = 0; g < kPanelGroups; ++g) {
      codes[g] = &panel.codes[g][block];
      factors[g] = &panel.factors[g][block];
    }
    add_block<Format::kDepth, Format::Scales::kHasMinimum>(results, codes, factors, x);
    CAIRN_UNROLL
    for (int c = 0; c < kColumns; ++c) ++x[c];
  }
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
