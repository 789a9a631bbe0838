// Attention of up to kMaxQueries queries over one span of keys. Each key and value that is read
// serves all of them. Scores: one chain of multiply-adds over ascending dimensions per key; values:
// one over ascending keys. A key that a query does not see weighs exactly zero.

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

/// sums[q][i] += left[i] * right[q], four registers wide at most on the side that waits in
/// registers.
template <int kQueries, int kParts, class Left, class Right>
CAIRN_INLINE void add_products(Floats (&sums)[kQueries][kParts], Left left, Right right) {
  if constexpr (kQueries < kParts) {
    Floats waiting[kQueries];
    for (int q = 0; q < kQueries; ++q) waiting[q] = right(q);
    for (int i = 0; i < kParts; ++i) {
      const Floats one = left(i);
      for (int q = 0; q < kQueries; ++q) {
        sums[q][i] = multiply_add(one, waiting[q], sums[q][i]);
        settle(sums[q][i]);
      }
    }
  } else {
    Floats waiting[kParts];
    for (int i = 0; i < kParts; ++i) waiting[i] = left(i);
    for (int q = 0; q < kQueries; ++q) {
      const Floats one = right(q);
      for (int i = 0; i < kParts; ++i) {
        sums[q][i] = multiply_add(waiting[i], one, sums[q][i]);
        settle(sums[q][i]);
      }
    }
  }
}

template <int kQueries, int kParts>
CAIRN_INLINE void clear(Floats (&sums)[kQueries][kParts]) {
  for (int q = 0; q < kQueries; ++q) {
    for (int i = 0; i < kParts; ++i) sums[q][i] = zero_floats();
  }
}

/// Raw products of kTiles tiles of 16 keys with kQueries queries.
template <class Kv, int kQueries, int kTiles>
CAIRN_INLINE void score_tiles(Span& s, int first_query, int tile) {
  Floats sums[kQueries][2 * kTiles];
  clear(sums);
  const typename Kv::Value* keys[kTiles];
  const float* queries[kQueries];
  for (int t = 0; t < kTiles; ++t) keys[t] = values_at<Kv>(s.key_tiles[tile + t]);
  for (int q = 0; q < kQueries; ++q) queries[q] = s.queries[first_query + q];
  for (std::int64_t d = 0; d < s.key_dim; ++d) {
    const auto key = [&](int i) {
      return Kv::load_8(keys[i / 2] + d * s.key_stride + 8 * (i % 2));
    };
    add_products(sums, key, [&](int q) { return broadcast(queries[q][d]); });
  }
  for (int q = 0; q < kQueries; ++q) {
    float* scores = s.weights + (first_query + q) * kSpanKeys + tile * kTileKeys;
    for (int i = 0; i < 2 * kTiles; ++i) store(scores + 8 * i, sums[q][i]);
  }
}

/// Queries first_query..first_query+kQueries-1 over tiles of keys begin..end-1.
template <class Kv>
struct Scorer {
  int begin;
  int end;
  template <int kQueries>
  CAIRN_INLINE void attend(Span& s, int first_query) const {
    // Eight chains or more hide the latency of multiply-add.
    constexpr int kTiles = !kHasTiles ? 1 : kQueries == 1 ? 4 : kQueries <= 3 ? 2 : 1;
    int tile = begin;
    for (; tile + kTiles <= end; tile += kTiles) {
      score_tiles<Kv, kQueries, kTiles>(s, first_query, tile);
    }
    for (; tile < end; ++tile) score_tiles<Kv, kQueries, 1>(s, first_query, tile);
  }
};

/// All queries: at once where there are registers for them.
template <class Attender>
CAIRN_INLINE void attend_queries(Span& s, const Attender& attender) {
  if constexpr (!kHasTiles) {
    for (int q = 0; q < s.query_count; ++q) attender.template attend<1>(s, q);
    return;
  }
  switch (s.query_count) {
    case 1:
      attender.template attend<1>(s, 0);
      break;
    case 2:
      attender.template attend<2>(s, 0);
      break;
    case 3:
      attender.template attend<3>(s, 0);
      break;
    case 4:
      attender.template attend<4>(s, 0);
      break;
    case 5:
      attender.template attend<5>(s, 0);
      break;
    default:
      attender.template attend<6>(s, 0);
      break;
  }
}

/// Turns one query's products into scores and then into weights exp(score - maximum).
CAIRN_INLINE void soften(Span& s, int q, int tile_begin, int tile_end) {
  float* weights = s.weights + q * kSpanKeys;
  const Floats lowest = broadcast(-__builtin_inff());
  const std::int32_t begin = tile_begin * kTileKeys;
  const std::int32_t end = tile_end * kTileKeys;
  Floats highest = lowest;
  for (std::int32_t i = begin; i < end; i += 8) {
    Floats x = load(weights + i) * broadcast(s.scale);
    if (s.softcap > 0) x = capped(x, s.softcap);
    x = select(seen_lanes(i, s.first[q], s.end[q]), x, lowest);
    store(weights + i, x);
    highest = max(x, highest);
  }
  s.maximum[q] = max_of_lanes(highest);
  Floats sums[2] = {zero_floats(), zero_floats()};
  for (std::int32_t i = begin; i < end; i += 8) {
    const Floats x = exponential(load(weights + i) - broadcast(s.maximum[q]));
    const Floats w = select(seen_lanes(i, s.first[q], s.end[q]), x, zero_floats());
    store(weights + i, w);
    sums[i / 8 % 2] = sums[i / 8 % 2] + w;
  }
  s.sum[q] = sum_of_lanes(sums[0] + sums[1]);
}

template <class SomeScorer>
void score(Span& s) {
  const KeyRange range = seen_by_any(s);
  const int begin = range.first / kTileKeys;
  const int end = (range.end + kTileKeys - 1) / kTileKeys;
  attend_queries(s, SomeScorer{begin, end});
  for (int q = 0; q < s.query_count; ++q) soften(s, q, begin, end);
}

/// `count` <= 8 values; the others are zero.
template <class Kv>
CAIRN_INLINE Floats load_part(const typename Kv::Value* p, std::int64_t count) {
  if (count == 8) return Kv::load_8(p);
  typename Kv::Value part[8] = {};
  for (std::int64_t i = 0; i < count; ++i) part[i] = p[i];
  return Kv::load_8(part);
}

/// Dimensions d..d+8*kParts-1 (fewer with kParts = 1 and count < 8) of the weighted values.
template <class Kv, int kQueries, int kParts>
CAIRN_INLINE void weigh_part(Span& s, int first_query, KeyRange range, std::int64_t d,
                             std::int64_t count) {
  Floats sums[kQueries][kParts];
  clear(sums);
  for (std::int32_t key = range.first; key < range.end; ++key) {
    const typename Kv::Value* row =
        values_at<Kv>(s.value_tiles[key / kTileKeys]) + key % kTileKeys * s.value_dim + d;
    const auto value = [&](int i) {
      return kParts > 1 ? Kv::load_8(row + 8 * i) : load_part<Kv>(row, count);
    };
    const float* weights = s.weights + first_query * kSpanKeys + key;
    add_products(sums, value, [&](int q) { return broadcast(weights[q * kSpanKeys]); });
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int i = 0; i < kParts; ++i)
      store_up_to_8(s.output[first_query + q] + d + 8 * i, sums[q][i], count);
  }
}

/// The same queries over all dimensions.
template <class Kv>
struct Weigher {
  KeyRange range;
  template <int kQueries>
  CAIRN_INLINE void attend(Span& s, int first_query) const {
    constexpr int kParts = !kHasTiles ? 1 : kQueries == 1 ? 8 : kQueries <= 3 ? 4 : 2;
    std::int64_t d = 0;
    for (; d + 8 * kParts <= s.value_dim; d += 8 * kParts) {
      weigh_part<Kv, kQueries, kParts>(s, first_query, range, d, 8);
    }
    for (; d < s.value_dim; d += 8) {
      const std::int64_t left = s.value_dim - d;
      weigh_part<Kv, kQueries, 1>(s, first_query, range, d, left < 8 ? left : 8);
    }
  }
};

template <class SomeWeigher>
void weigh(Span& s) {
  attend_queries(s, SomeWeigher{seen_by_any(s)});
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
