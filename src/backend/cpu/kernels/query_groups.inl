// Queries that share keys and values: how many at once, in which registers, and how memory that is
// wanted soon is asked for between their products. A query's sums are the same in any group.

namespace cairn::backend::cpu::CAIRN_ISA {

/// A number in all lanes, loaded once: with AVX-512, compilers would load it again for each use.
CAIRN_INLINE Floats broadcast_once(float a) {
  Floats all = broadcast(a);
  settle(all);
  return all;
}

/// sums[q][i] += left(i) * right(q). What there is less of waits in registers.
template <int kQueries, int kParts, class Left, class Right>
CAIRN_INLINE void add_products(Floats (&sums)[kQueries][kParts], Left left, Right right) {
  if constexpr (kQueries < kParts) {
    Floats waiting[kQueries];
    for (int q = 0; q < kQueries; ++q) waiting[q] = broadcast_once(right(q));
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
      const Floats one = broadcast_once(right(q));
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

/// Queries that share what is loaded, and the registers that wait for their sums: wider or more
/// registers, as AVX-512 has them, were no faster.
inline constexpr int kQueriesAtOnce = kHasTiles ? 6 : 1;
inline constexpr int kSumRegisters = kHasTiles ? 12 : 2;
/// Tiles of keys that so many queries take at once, or times 16 dimensions of values, two registers
/// each: enough sums to hide the latency of multiply-add.
constexpr int tiles_at_once(int queries) {
  int tiles = 1;
  while (tiles < 4 && 4 * tiles * queries <= kSumRegisters) tiles *= 2;
  return tiles;
}

/// Calls part.attend<n>(first) for all queries in groups of n <= kQueriesAtOnce, as equal as may
/// be.
template <class Part>
CAIRN_INLINE void in_groups(int query_count, const Part& part) {
  const int group_count = (query_count + kQueriesAtOnce - 1) / kQueriesAtOnce;
  for (int group = 0, first = 0; group < group_count; ++group) {
    const int end = query_count * (group + 1) / group_count;
    if constexpr (kHasTiles) {
      if (end - first == 2) part.template attend<2>(first);
      if (end - first == 3) part.template attend<3>(first);
      if (end - first == 4) part.template attend<4>(first);
      if (end - first == 5) part.template attend<5>(first);
      if (end - first == 6) part.template attend<6>(first);
    }
    if (end - first == 1) part.template attend<1>(first);
    first = end;
  }
}

/// Walks a piece of memory that is wanted soon, a step for each turn of a loop that computes: asked
/// for all at once, it would be computed or fetched, not both. Into the second-level cache: more
/// requests are under way than those that fill the first could be.
struct Walk {
  const std::byte* next;
  std::int64_t step_bytes;
  template <int kLines>
  CAIRN_INLINE void go() {
    constexpr int kSecondLevel = 2;
    for (int i = 0; i < kLines; ++i) __builtin_prefetch(next + 64 * i, 0, kSecondLevel);
    next += step_bytes;
  }
};

/// What a group of queries asks for of each tile's piece: its share, in so many turns of its loop.
struct Walks {
  const Ahead& ahead;
  std::int64_t offset_bytes;
  std::int64_t step_bytes;
  CAIRN_INLINE Walks(const Ahead& all, const Span& s, int first_query, int queries,
                     std::int64_t turns_per_tile)
      : ahead(all),
        offset_bytes(all.piece_bytes * first_query / s.query_count),
        step_bytes(turns_per_tile == 0
                       ? 0
                       : all.piece_bytes * queries / (s.query_count * turns_per_tile)) {}
  CAIRN_INLINE Walk at(int tile, std::int64_t turn) const {
    if (ahead.pieces[tile] != nullptr) {
      return {ahead.pieces[tile] + offset_bytes + turn * step_bytes, step_bytes};
    }
    return {static_cast<const std::byte*>(static_cast<const void*>(&ahead)), 0};
  }
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
