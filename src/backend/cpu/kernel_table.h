#pragma once
// What differs by ISA: one table of functions, filled by each file in isa/. Plain data and pointers
// only, since this header is read by code compiled with different flags.
//
// All kernels are thread-safe: they touch what their arguments point to. Every result depends on
// its own row's values alone and is formed in one order (DESIGN N1).

#include <cstddef>
#include <cstdint>

namespace cairn::backend::cpu {

/// Weight rows whose values are interleaved; one 32-bit or f32 lane each.
inline constexpr std::int64_t kGroupRows = 8;
/// Inputs that kernels take at once.
inline constexpr std::int64_t kBlockValues = 32;

/// 32 activations in 8 bits: x = scale * multiplier * values[i], |values[i]| <= 127, with a
/// multiplier of 1..127 for each half of 16. Against one scale for all 32, that halves the
/// Kullback-Leibler divergence that rounding costs a small model, and integer kernels pay little:
/// they widen 16-bit sums with the multiplier in place of 1. What follows from the first three is
/// kept beside them.
struct ActivationBlock {
  std::int8_t values[32];
  std::int16_t multipliers[2];
  float scale;
  float half_scales[2];             // scale * multiplier
  float scaled_sum;                 // of all 32 x
  float low_scaled_sum;             // of the first 16
  std::int32_t minus_128_times[2];  // the sum of each half's values
};
static_assert(sizeof(ActivationBlock) == 64);  // a cache line

/// How a weight wants the activations.
enum class ActivationKind : std::uint8_t { floats, blocks };
inline constexpr int kActivationKindCount = 2;

/// The prepared layouts (layouts.h draws them); one product kernel each.
enum class LayoutId : std::uint8_t {
  f32,
  f16,
  bf16,
  q4_0,
  q4_1,
  q4_k,
  q5_0,
  q5_1,
  q5_k,
  q8_0,
  q6_k,
  q3_k,
  q2_k,
  iq4_nl,
  iq4_xs,
  mxfp4,
};
inline constexpr int kLayoutCount = 16;

/// tile[column][row] = sum over inputs of weight[row][input] * activations[column][input]
struct Product {
  const std::byte* codes;           // of the first group of 8 rows
  const std::byte* scales;          // of the first group
  std::int64_t codes_stride_bytes;  // from group to group
  std::int64_t scales_stride_bytes;
  std::int64_t group_count;
  std::int64_t inputs;
  const std::byte* activations;           // floats or ActivationBlocks, as the layout wants
  std::int64_t activations_stride_bytes;  // from column to column
  std::int64_t column_count;
  float* tile /*[columns][tile_stride]*/;  // aligned to 32 bytes
  std::int64_t tile_stride;                // >= 8 * group_count, a multiple of 8
};

/// What happens to a product before it leaves: output (=, +=) tile + bias.
struct Epilogue {
  const float* tile;
  std::int64_t tile_stride;
  std::int64_t column_count;
  std::int64_t row_count;
  const float* bias /*[rows] or null*/;
  bool add;
  float* output;
  std::int64_t output_stride;
};

/// Queries that are attended together: they share each key and value that is read.
inline constexpr int kMaxQueries = 48;
inline constexpr int kTileKeys = 16;
inline constexpr int kSpanTiles = 16;
inline constexpr int kSpanKeys = kTileKeys * kSpanTiles;

/// Memory that is wanted soon, to be asked for while the tiles of these numbers are worked on.
struct Ahead {
  const std::byte* pieces[kSpanTiles];  // null: none
  std::int64_t piece_bytes;
};

/// Attention of some queries of one KV head over one span of keys. Query i sees the span's keys
/// first[i]..end[i]-1; where that is empty, its results have no meaning.
struct Span {
  const std::byte* key_tiles[kSpanTiles];    // [key_dim][key_stride], 16 keys side by side
  const std::byte* value_tiles[kSpanTiles];  // [16][value_dim]
  // Types with scales (kv_pages.h): the tiles above are the codes of the first 32 dimensions, and
  // the next 32 stand a block further on, scales too.
  const std::byte* key_scales[kSpanTiles];    // f16, 16 keys side by side
  const std::byte* value_scales[kSpanTiles];  // f16, 16 keys side by side
  std::int64_t key_block_bytes;
  std::int64_t value_block_bytes;
  Ahead values_ahead;  // asked for while scoring: this span's values
  Ahead keys_ahead;    // while weighing: the keys of the span that comes next
  std::int64_t key_stride;
  std::int64_t key_dim;
  std::int64_t value_dim;
  int query_count;
  const float* queries[kMaxQueries] /*[key_dim]*/;
  std::int32_t first[kMaxQueries];
  std::int32_t end[kMaxQueries];
  float scale;
  float softcap;
  float* weights /*[kMaxQueries][kSpanKeys]*/;
  float maximum[kMaxQueries];
  float sum[kMaxQueries];
  float* output[kMaxQueries] /*[value_dim]*/;
};

enum class KvKind : std::uint8_t { f32, f16, bf16, q8_0, q4_0 };
inline constexpr int kKvKindCount = 5;

struct KernelTable {
  const char* name;
  void (*multiply[kLayoutCount])(const Product&);
  void (*finish)(const Epilogue&);

  /// output = input / sqrt(mean(input^2) + epsilon) * weight
  void (*rms_norm)(const float* input, const float* weight, std::int64_t size, float epsilon,
                   float* output);
  /// REQUIRES: size is a multiple of 32.
  void (*quantize)(const float* values, std::int64_t size, ActivationBlock* blocks);
  /// gate[i] = activation(gate[i]) * up[i]
  void (*silu_gated)(float* gate, const float* up, std::int64_t size);
  void (*gelu_gated)(float* gate, const float* up, std::int64_t size);
  /// values[i] = cap(scale * values[i]); cap(x) = softcap * tanh(x / softcap) where softcap > 0
  void (*scale_and_cap)(float* values, std::int64_t size, float scale, float softcap);
  void (*add)(float* sum, const float* values, std::int64_t size);

  /// (a, b) -> (a cos - b sin, b cos + a sin) for the first n values' pairs; table_row = n/2
  /// cosines, then n/2 sines. Pairs are (2i, 2i+1) where `adjacent`, else (i, i + n/2).
  void (*rotate)(float* head, const float* table_row, std::int64_t n, bool adjacent);
  /// Rounds to 16 bits; f16 saturates at its largest finite value.
  void (*to_f16)(const float* values, std::int64_t size, std::uint16_t* output);
  void (*to_bf16)(const float* values, std::int64_t size, std::uint16_t* output);
  /// Blocks of tensor/formats, rounded as those encode them. REQUIRES: size is a multiple of 32.
  void (*to_q8_0)(const float* values, std::int64_t size, std::byte* output);
  void (*to_q4_0)(const float* values, std::int64_t size, std::byte* output);

  /// Fills weights, maximum and sum.
  void (*score[kKvKindCount])(Span&);
  /// Fills output from the weights.
  void (*weigh[kKvKindCount])(Span&);
  /// Merges a later span into the running result: total = values * sum, relative to `maximum`.
  void (*merge)(float* total, float* maximum, float* sum, const float* part, float part_maximum,
                float part_sum, std::int64_t value_dim);
  /// output = total / sum
  void (*divide)(const float* total, float sum, std::int64_t value_dim, float* output);
};

}  // namespace cairn::backend::cpu
