// Attention of a tile of queries over one span of keys. Each key and value that is read serves
// several queries; groups of queries take turns at keys that wait in the nearest cache. Scores: one
// chain of multiply-adds over ascending dimensions per key; values: one over ascending keys. A key
// that a query does not see weighs exactly zero.

namespace cairn::backend::cpu::CAIRN_ISA {

struct KvF32 {
  using Value = float;
  static CAIRN_INLINE Floats load_8(const float* p) { return load(p); }
};
struct KvF16 {
  using Value = std::uint16_t;
  static CAIRN_INLINE Floats load_8(const std::uint16_t* p) { return load_f16(p); }
};
struct KvBf16 {
  using Value = std::uint16_t;
  static CAIRN_INLINE Floats load_8(const std::uint16_t* p) { return load_bf16(p); }
};

template <class Kv>
CAIRN_INLINE const typename Kv::Value* values_at(const std::byte* p) {
  return static_cast<const typename Kv::Value*>(static_cast<const void*>(p));
}

struct KeyRange {
  std::int32_t first;
  std::int32_t end;
};
/// The keys that at least one query sees; they are contiguous enough to walk all in between.
CAIRN_INLINE KeyRange seen_by_any(const Span& s) {
  KeyRange range = {kSpanKeys, 0};
  for (int q = 0; q < s.query_count; ++q) {
    if (s.first[q] >= s.end[q]) continue;
    if (s.first[q] < range.first) range.first = s.first[q];
    if (s.end[q] > range.end) range.end = s.end[q];
  }
  return range;
}

/// Lanes of keys base..base+7 that lie in first..end-1.
CAIRN_INLINE Ints seen_lanes(std::int32_t base, std::int32_t first, std::int32_t end) {
  const Ints not_before = first_lanes(first - base);
  const Ints before_end = first_lanes(end - base);
  return {before_end.v & ~not_before.v};
}

/// Raw products of kTiles tiles of 16 keys with kQueries queries.
template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void score_tiles(Span& s, const Walks& walks, int first_query, int tile) {
  constexpr int kLines = (kTiles * static_cast<int>(sizeof(typename Kv::Value)) + 3) / 4;
  constexpr int kParts = 2 * kTiles;
  Floats sums[kQueries][kParts];
  clear(sums);
  const typename Kv::Value* keys[kTiles];
  const float* queries[kQueries];
  for (int t = 0; t < kTiles; ++t) keys[t] = values_at<Kv>(s.key_tiles[tile + t]);
  for (int q = 0; q < kQueries; ++q) queries[q] = s.queries[first_query + q];
  for (int t = 0; t < kTiles; ++t) {
    Walk walk = walks.at(tile + t, 0);
    const std::int64_t end = s.key_dim * (t + 1) / kTiles;
    for (std::int64_t d = s.key_dim * t / kTiles; d < end; ++d) {
      const auto key = [&](int i) {
        return Kv::load_8(keys[i / 2] + d * s.key_stride + 8 * (i % 2));
      };
      walk.template go<kLines>();
      add_products(sums, key, [&](int q) { return queries[q][d]; });
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    float* scores = s.weights + (first_query + q) * kSpanKeys + tile * kTileKeys;
    for (int i = 0; i < kParts; ++i) store(scores + 8 * i, sums[q][i]);
  }
}

/// Some queries over tiles of keys begin..end-1.
template <class Kv>
struct Scorer {
  Span& span;
  int begin;
  int end;
  template <int kQueries>
  CAIRN_INLINE void attend(int first_query) const {
    constexpr int kTiles = tiles_at_once(kQueries);
    const Walks walks(span.values_ahead, span, first_query, kQueries, span.key_dim / kTiles);
    int tile = begin;
    for (; tile + kTiles <= end; tile += kTiles) {
      score_tiles<Kv, kQueries, kTiles>(span, walks, first_query, tile);
    }
    for (; tile < end; ++tile) score_tiles<Kv, kQueries, 1>(span, walks, first_query, tile);
  }
};

/// Products of keys that the query does not see become minus infinity.
CAIRN_INLINE void hide_unseen(const Span& s, int q, float* products, std::int32_t begin,
                              std::int32_t end) {
  const Floats lowest = broadcast(-__builtin_inff());
  for (std::int32_t i = begin; i < end; i += 8) {
    const Ints seen = seen_lanes(i, s.first[q], s.end[q]);
    store(products + i, select(seen, load(products + i), lowest));
  }
}

/// Turns one query's products of keys begin..end-1 into weights exp(score - maximum).
CAIRN_INLINE void soften(Span& s, int q, std::int32_t begin, std::int32_t end) {
  constexpr float kLog2E = 1.44269504088896341F;
  float* weights = s.weights + q * kSpanKeys;
  float scale = s.scale;
  if (s.softcap > 0) {
    for (std::int32_t i = begin; i < end; i += 8) {
      store(weights + i, capped(load(weights + i) * broadcast(scale), s.softcap));
    }
    scale = 1;
  }
  if (s.first[q] > begin || s.end[q] < end) hide_unseen(s, q, weights, begin, end);
  Floats highest = load(weights + begin);
  for (std::int32_t i = begin; i < end; i += 8) highest = max(load(weights + i), highest);
  const float maximum = max_of_lanes(highest);
  Floats sums[2] = {zero_floats(), zero_floats()};
  for (std::int32_t i = begin; i < end; i += kTileKeys) {
    for (int half = 0; half < 2; ++half) {
      float* at = weights + i + 8 * half;
      const Floats below = load(at) - broadcast(maximum);
      const Floats weight = power_of_2(below * broadcast(scale * kLog2E));
      store(at, weight);
      sums[half] = sums[half] + weight;
    }
  }
  s.maximum[q] = maximum * scale;
  s.sum[q] = sum_of_lanes(sums[0] + sums[1]);
}

/// SomeScorer: what multiplies keys of one type.
template <class SomeScorer>
void score(Span& s) {
  constexpr int kTilesInCache = 4;
  const KeyRange range = seen_by_any(s);
  const int begin = range.first / kTileKeys;
  const int end = (range.end + kTileKeys - 1) / kTileKeys;
  for (int tile = begin; tile < end; tile += kTilesInCache) {
    const int tile_end = tile + kTilesInCache < end ? tile + kTilesInCache : end;
    in_groups(s.query_count, SomeScorer{s, tile, tile_end});
  }
  for (int q = 0; q < s.query_count; ++q) {
    if (s.first[q] < s.end[q]) soften(s, q, begin * kTileKeys, end * kTileKeys);
  }
}

/// Dimensions d..d+16*kTiles-1 of the weighted values.
template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void weigh_part(Span& s, const Walks& walks, int first_query, KeyRange range,
                             std::int64_t d) {
  constexpr int kLines = (kTiles * static_cast<int>(sizeof(typename Kv::Value)) + 3) / 4;
  constexpr int kParts = 2 * kTiles;
  Floats sums[kQueries][kParts];
  clear(sums);
  const float* weights = s.weights + first_query * kSpanKeys;
  for (std::int32_t key = range.first; key < range.end;) {
    const int tile = key / kTileKeys;
    const std::int32_t tile_end = (tile + 1) * kTileKeys;
    const std::int32_t end = tile_end < range.end ? tile_end : range.end;
    Walk walk = walks.at(tile, d / kTiles);  // 16 keys for each 16 * kTiles dimensions before
    const auto* row = values_at<Kv>(s.value_tiles[tile]) + key % kTileKeys * s.value_dim + d;
    for (; key < end; ++key, row += s.value_dim) {
      walk.template go<kLines>();
      add_products(
          sums, [&](int i) { return Kv::load_8(row + 8 * i); },
          [&](int q) { return weights[q * kSpanKeys + key]; });
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int i = 0; i < kParts; ++i) store(s.output[first_query + q] + d + 8 * i, sums[q][i]);
  }
}

/// Dimensions d..d+count-1 <= d+15 of one query: what is left where 16 do not divide a row.
template <class Kv>
CAIRN_INLINE void weigh_rest(Span& s, int q, KeyRange range, std::int64_t d, std::int64_t count) {
  const std::int64_t upper = count > 8 ? count - 8 : 0;
  Floats sums[2] = {zero_floats(), zero_floats()};
  for (std::int32_t key = range.first; key < range.end; ++key) {
    const auto* row =
        values_at<Kv>(s.value_tiles[key / kTileKeys]) + key % kTileKeys * s.value_dim + d;
    typename Kv::Value values[kTileKeys] = {};
    for (std::int64_t i = 0; i < count; ++i) values[i] = row[i];
    const Floats weight = broadcast(s.weights[q * kSpanKeys + key]);
    sums[0] = multiply_add(Kv::load_8(values), weight, sums[0]);
    sums[1] = multiply_add(Kv::load_8(values + 8), weight, sums[1]);
  }
  store_up_to_8(s.output[q] + d, sums[0], count - upper);
  if (upper > 0) store_up_to_8(s.output[q] + d + 8, sums[1], upper);
}

/// Some queries over all dimensions of the values.
template <class Kv>
struct Weigher {
  Span& span;
  KeyRange range;
  template <int kQueries>
  CAIRN_INLINE void attend(int first_query) const {
    constexpr int kTiles = tiles_at_once(kQueries);
    const Walks walks(span.keys_ahead, span, first_query, kQueries, span.value_dim / kTiles);
    std::int64_t d = 0;
    for (; d + kTileKeys * kTiles <= span.value_dim; d += kTileKeys * kTiles) {
      weigh_part<Kv, kQueries, kTiles>(span, walks, first_query, range, d);
    }
    for (; d + kTileKeys <= span.value_dim; d += kTileKeys) {
      weigh_part<Kv, kQueries, 1>(span, walks, first_query, range, d);
    }
    for (int q = 0; q < kQueries && d < span.value_dim; ++q) {
      weigh_rest<Kv>(span, first_query + q, range, d, span.value_dim - d);
    }
  }
};

template <class SomeWeigher>
void weigh(Span& s) {
  in_groups(s.query_count, SomeWeigher{s, seen_by_any(s)});
}

void merge(float* total, float* maximum, float* sum, const float* part, float part_maximum,
           float part_sum, std::int64_t value_dim) {
  const float highest = part_maximum > *maximum ? part_maximum : *maximum;
  const Floats old_factor = exponential(broadcast(*maximum - highest));
  const Floats new_factor = exponential(broadcast(part_maximum - highest));
  for_each_8(value_dim, [&](std::int64_t i, std::int64_t count) {
    const Floats kept = load_up_to_8(total + i, count) * old_factor;
    const Floats added = load_up_to_8(part + i, count);
    store_up_to_8(total + i, multiply_add(added, new_factor, kept), count);
  });
  float sums[8];
  store(sums, multiply_add(broadcast(part_sum), new_factor, broadcast(*sum) * old_factor));
  *sum = sums[0];
  *maximum = highest;
}

void divide(const float* total, float sum, std::int64_t value_dim, float* output) {
  for_each_8(value_dim, [&](std::int64_t i, std::int64_t count) {
    store_up_to_8(output + i, load_up_to_8(total + i, count) / broadcast(sum), count);
  });
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
