// Attention over keys and values that have a scale for each 32 dimensions. Scores: a chain of
// multiply-adds over a block's codes, then one step of a chain over the blocks, times the scales of
// 8 keys at once. Values: the weights of a block's keys take the scales in first.

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kDimsPerBlock = 32;

/// Codes -127..127: 32 bytes a block.
struct KvQ80 {
  static constexpr int kCodeBytes = 32;
  static constexpr float kZero = 0;  // the code of 0
  /// 8 keys of dimension d of a block, d < 16, and of dimension d + 16.
  static CAIRN_INLINE Floats key_codes(const std::byte* row) {
    return to_floats(load_8_signed(row));
  }
  static CAIRN_INLINE Floats upper_key_codes(const std::byte* row, std::int64_t stride_16) {
    return to_floats(load_8_signed(row + stride_16));
  }
  /// Dimensions 8 * part .. 8 * part + 7 of one position.
  static CAIRN_INLINE Floats value_codes(const std::byte* codes, int part) {
    return to_floats(load_8_signed(codes + 8 * part));
  }
};

/// Codes 0..15 for -8..7: byte j holds dimension j in its low nibble, j + 16 in its high one.
struct KvQ40 {
  static constexpr int kCodeBytes = 16;
  static constexpr float kZero = 8;
  static CAIRN_INLINE Floats key_codes(const std::byte* row) {
    return to_floats(load_8_unsigned(row) & broadcast_int(15));
  }
  static CAIRN_INLINE Floats upper_key_codes(const std::byte* row, std::int64_t) {
    return to_floats(shift_right_unsigned<4>(load_8_unsigned(row)));
  }
  static CAIRN_INLINE Floats value_codes(const std::byte* codes, int part) {
    const Ints bytes = load_8_unsigned(codes + 8 * (part % 2));
    return to_floats(part < 2 ? bytes & broadcast_int(15) : shift_right_unsigned<4>(bytes));
  }
};

CAIRN_INLINE const std::uint16_t* halves_at(const std::byte* p) {
  return static_cast<const std::uint16_t*>(static_cast<const void*>(p));
}

/// -zero * the sum of 32 values: what codes that count from `zero` add too much.
CAIRN_INLINE float excess_of(const float* query, float zero) {
  const Floats sum = (load(query) + load(query + 8)) + (load(query + 16) + load(query + 24));
  return -zero * sum_of_lanes(sum);
}

/// Products of kTiles tiles of 16 keys with kQueries queries, of the codes of one block.
template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void multiply_codes_of_block(const std::byte* const (&keys)[kTiles],
                                          const float* const (&queries)[kQueries],
                                          std::int64_t stride, Walk walk,
                                          float (&products)[kQueries][kTiles * kTileKeys]) {
  constexpr int kParts = 2 * kTiles;
  Floats sums[kQueries][kParts];
  for (int q = 0; q < kQueries; ++q) {
    const float start = Kv::kZero == 0 ? 0 : excess_of(queries[q], Kv::kZero);
    for (int i = 0; i < kParts; ++i) sums[q][i] = broadcast(start);
  }
  // Two rows at a time, which suits 4 bits, and lets GCC 12 keep the sums in registers for 8.
  constexpr std::int64_t kHalf = kDimsPerBlock / 2;
  for (std::int64_t d = 0; d < kHalf; ++d) {
    const auto key = [&](int i) { return keys[i / 2] + d * stride + 8 * (i % 2); };
    walk.template go<(kTiles + 1) / 2>();
    add_products(
        sums, [&](int i) { return Kv::key_codes(key(i)); }, [&](int q) { return queries[q][d]; });
    add_products(
        sums, [&](int i) { return Kv::upper_key_codes(key(i), kHalf * stride); },
        [&](int q) { return queries[q][d + kHalf]; });
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int i = 0; i < kParts; ++i) store(products[q] + 8 * i, sums[q][i]);
  }
}

/// Adds the products of one block, times its scales, to the scores.
template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void score_block(Span& s, const Walks& walks, int first_query, int tile,
                              std::int64_t block) {
  // The tiles' pieces in turn, as the blocks go by.
  const std::int64_t turn = block * kTiles;
  const std::int64_t blocks = s.key_dim / kDimsPerBlock;
  const Walk walk = walks.at(tile + static_cast<int>(turn / blocks),
                             turn % blocks * (kDimsPerBlock / 2) / kTiles);
  const std::byte* keys[kTiles];
  const float* queries[kQueries];
  for (int t = 0; t < kTiles; ++t) {
    keys[t] = s.key_tiles[tile + t] + block * s.key_block_bytes;
  }
  for (int q = 0; q < kQueries; ++q) {
    queries[q] = s.queries[first_query + q] + block * kDimsPerBlock;
  }
  // By way of memory: what is computed with the sums themselves would cost their registers.
  alignas(32) float products[kQueries][kTiles * kTileKeys];
  multiply_codes_of_block<Kv>(keys, queries, s.key_stride, walk, products);
  for (int i = 0; i < 2 * kTiles; ++i) {
    const std::byte* scales = s.key_scales[tile + i / 2] + block * s.key_block_bytes;
    const Floats scale = load_f16(halves_at(scales) + 8 * (i % 2));
    for (int q = 0; q < kQueries; ++q) {
      float* score = s.weights + (first_query + q) * kSpanKeys + tile * kTileKeys + 8 * i;
      const Floats before = block == 0 ? zero_floats() : load(score);
      store(score, multiply_add(load(products[q] + 8 * i), scale, before));
    }
  }
}

template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void score_block_tiles(Span& s, const Walks& walks, int first_query, int tile) {
  for (std::int64_t block = 0; block < s.key_dim / kDimsPerBlock; ++block) {
    score_block<Kv, kQueries, kTiles>(s, walks, first_query, tile, block);
  }
}

/// Scorer (attention.inl) for types with scales.
template <class Kv>
struct BlockScorer {
  Span& span;
  int begin;
  int end;
  template <int kQueries>
  CAIRN_INLINE void attend(int first_query) const {
    constexpr int kTiles = tiles_at_once(kQueries);
    const Walks walks(span.values_ahead, span, first_query, kQueries, span.key_dim / 2 / kTiles);
    int tile = begin;
    for (; tile + kTiles <= end; tile += kTiles) {
      score_block_tiles<Kv, kQueries, kTiles>(span, walks, first_query, tile);
    }
    for (; tile < end; ++tile) score_block_tiles<Kv, kQueries, 1>(span, walks, first_query, tile);
  }
};

/// The weights of one block's values: weight * scale, and what their codes add too much.
template <int kQueries>
struct BlockWeights {
  alignas(32) float weights[kQueries][kSpanKeys];
  float excess[kQueries];
};

template <class Kv, int kQueries>
CAIRN_INLINE void take_scales(const Span& s, int first_query, KeyRange range, std::int64_t block,
                              BlockWeights<kQueries>& scaled) {
  Floats sums[kQueries];
  for (int q = 0; q < kQueries; ++q) sums[q] = zero_floats();
  const int end = (range.end + kTileKeys - 1) / kTileKeys;
  for (int tile = range.first / kTileKeys; tile < end; ++tile) {
    const std::uint16_t* scales = halves_at(s.value_scales[tile] + block * s.value_block_bytes);
    for (int lane = 0; lane < kTileKeys; lane += 8) {
      const Floats scale = load_f16(scales + lane);
      const int key = tile * kTileKeys + lane;
      for (int q = 0; q < kQueries; ++q) {
        const Floats weight = load(s.weights + (first_query + q) * kSpanKeys + key) * scale;
        store(scaled.weights[q] + key, weight);
        if constexpr (Kv::kZero != 0) sums[q] = sums[q] + weight;
      }
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    scaled.excess[q] = Kv::kZero == 0 ? 0 : -Kv::kZero * sum_of_lanes(sums[q]);
  }
}

/// Dimensions 8 * first_part .. 8 * (first_part + kParts) - 1 of one block.
template <class Kv, int kQueries, int kParts>
CAIRN_INLINE void weigh_block_parts(Span& s, const Walks& walks, int first_query, KeyRange range,
                                    std::int64_t block, int first_part,
                                    const BlockWeights<kQueries>& scaled) {
  Floats sums[kQueries][kParts];
  for (int q = 0; q < kQueries; ++q) {
    for (int i = 0; i < kParts; ++i) sums[q][i] = broadcast(scaled.excess[q]);
  }
  const std::int64_t pass = (block * (kDimsPerBlock / 8) + first_part) / kParts;
  for (std::int32_t key = range.first; key < range.end;) {
    const int tile = key / kTileKeys;
    const std::int32_t tile_end = (tile + 1) * kTileKeys;
    const std::int32_t end = tile_end < range.end ? tile_end : range.end;
    Walk walk = walks.at(tile, pass * kTileKeys);
    const std::byte* codes =
        s.value_tiles[tile] + block * s.value_block_bytes + key % kTileKeys * Kv::kCodeBytes;
    for (; key < end; ++key, codes += Kv::kCodeBytes) {
      walk.template go<1>();
      add_products(
          sums, [&](int i) { return Kv::value_codes(codes, first_part + i); },
          [&](int q) { return scaled.weights[q][key]; });
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    float* output = s.output[first_query + q] + block * kDimsPerBlock + 8 * first_part;
    for (int i = 0; i < kParts; ++i) store(output + 8 * i, sums[q][i]);
  }
}

/// Weigher (attention.inl) for types with scales.
template <class Kv>
struct BlockWeigher {
  Span& span;
  KeyRange range;
  template <int kQueries>
  CAIRN_INLINE void attend(int first_query) const {
    constexpr int kBlockParts = kDimsPerBlock / 8;
    constexpr int kMostParts = !kHasTiles ? 1 : 2 * tiles_at_once(kQueries);
    constexpr int kParts = kMostParts < kBlockParts ? kMostParts : kBlockParts;
    const std::int64_t turns = kTileKeys * span.value_dim / (8 * kParts);
    const Walks walks(span.keys_ahead, span, first_query, kQueries, turns);
    for (std::int64_t block = 0; block < span.value_dim / kDimsPerBlock; ++block) {
      BlockWeights<kQueries> scaled;
      take_scales<Kv, kQueries>(span, first_query, range, block, scaled);
      for (int part = 0; part < kBlockParts; part += kParts) {
        weigh_block_parts<Kv, kQueries, kParts>(span, walks, first_query, range, block, part,
                                                scaled);
      }
    }
  }
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
