// Products with weights that are floats. Eight rows stand interleaved:
//
//   codes of a group:  input 0: row 0..7 | input 1: row 0..7 | ...      f32, f16 or bf16
//
// Each output is one chain of multiply-adds over ascending inputs, whatever the tile.

namespace cairn::backend::cpu::CAIRN_ISA {

struct F32Weights {
  using Value = float;
  static CAIRN_INLINE Floats load_8(const float* p) { return load(p); }
};
struct F16Weights {
  using Value = std::uint16_t;
  static CAIRN_INLINE Floats load_8(const std::uint16_t* p) { return load_f16(p); }
};
struct Bf16Weights {
  using Value = std::uint16_t;
  static CAIRN_INLINE Floats load_8(const std::uint16_t* p) { return load_bf16(p); }
};

template <class Weights, int kGroups, int kColumns>
CAIRN_INLINE void float_tile(const Product& p, std::int64_t group, std::int64_t column) {
  using Value = typename Weights::Value;
  const Value* weights[kGroups];
  const float* x[kColumns];
  Floats sums[kGroups][kColumns];
  for (int g = 0; g < kGroups; ++g) {
    weights[g] = static_cast<const Value*>(
        static_cast<const void*>(p.codes + (group + g) * p.codes_stride_bytes));
  }
  for (int c = 0; c < kColumns; ++c) {
    x[c] = static_cast<const float*>(
        static_cast<const void*>(p.activations + (column + c) * p.activations_stride_bytes));
  }
  for (int g = 0; g < kGroups; ++g) {
    for (int c = 0; c < kColumns; ++c) sums[g][c] = zero_floats();
  }
  for (std::int64_t i = 0; i < p.inputs; ++i) {
    Floats w[kGroups];
    for (int g = 0; g < kGroups; ++g) w[g] = Weights::load_8(weights[g] + i * kGroupRows);
    for (int c = 0; c < kColumns; ++c) {
      const Floats value = broadcast(x[c][i]);
      for (int g = 0; g < kGroups; ++g) sums[g][c] = multiply_add(w[g], value, sums[g][c]);
    }
  }
  for (int g = 0; g < kGroups; ++g) {
    for (int c = 0; c < kColumns; ++c) {
      store(p.tile + (column + c) * p.tile_stride + (group + g) * kGroupRows, sums[g][c]);
    }
  }
}

template <class Weights, int kGroups>
CAIRN_INLINE void float_columns(const Product& p, std::int64_t group) {
  std::int64_t column = 0;
  if constexpr (kHasTiles) {
    for (; column + 4 <= p.column_count; column += 4) {
      float_tile<Weights, kGroups, 4>(p, group, column);
    }
    for (; column + 2 <= p.column_count; column += 2) {
      float_tile<Weights, kGroups, 2>(p, group, column);
    }
  }
  for (; column < p.column_count; ++column) float_tile<Weights, kGroups, 1>(p, group, column);
}

/// Eight chains or more hide the latency of multiply-add: few columns take more groups at once.
template <class Weights>
void multiply_floats(const Product& p) {
  std::int64_t group = 0;
  if constexpr (kHasTiles) {
    if (p.column_count < 4) {
      for (; group + 4 <= p.group_count; group += 4) float_columns<Weights, 4>(p, group);
    }
    for (; group + 2 <= p.group_count; group += 2) float_columns<Weights, 2>(p, group);
  }
  for (; group < p.group_count; ++group) float_columns<Weights, 1>(p, group);
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
