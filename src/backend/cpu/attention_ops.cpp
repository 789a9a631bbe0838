#include "backend/cpu/attention_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace cairn::backend::cpu {
namespace {

static_assert(kKeySpan == kSpanKeys && kKeyTile == kTileKeys);

float* floats_at(std::byte* p) {
  return static_cast<float*>(static_cast<void*>(p));
}

struct KindOfType {
  DType type;
  KvKind kind;
};
constexpr KindOfType kKinds[] = {{DType::f32, KvKind::f32},
                                 {DType::f16, KvKind::f16},
                                 {DType::bf16, KvKind::bf16},
                                 {DType::q8_0, KvKind::q8_0},
                                 {DType::q4_0, KvKind::q4_0}};
static_assert(std::size(kKinds) == kKvKindCount);

KvKind kind_of(DType type) {
  const auto* const known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [=](const KindOfType& k) { return k.type == type; });
  CHECK(known != std::end(kKinds), "KV type {}", static_cast<int>(type));
  return known->kind;
}

void encode(const KernelTable& kernels, KvKind kind, const float* values, std::int64_t size,
            std::byte* to) {
  auto* halves = static_cast<std::uint16_t*>(static_cast<void*>(to));
  switch (kind) {
    case KvKind::f32:
      std::memcpy(to, values, static_cast<std::size_t>(size) * sizeof(float));
      return;
    case KvKind::f16:
      return kernels.to_f16(values, size, halves);
    case KvKind::bf16:
      return kernels.to_bf16(values, size, halves);
    case KvKind::q8_0:
      return kernels.to_q8_0(values, size, to);
    case KvKind::q4_0:
      return kernels.to_q4_0(values, size, to);
  }
}

}  // namespace

AttentionOps::AttentionOps(base::ThreadPool& threads, const KernelTable& kernels)
    : threads_(threads),
      kernels_(kernels),
      workers_(static_cast<std::size_t>(threads.worker_count())) {
  for (Worker& worker : workers_) {
    worker.weights.reserve(sizeof(float) * kMaxQueries * kSpanKeys);
  }
}

std::int64_t AttentionOps::parts_of(std::int64_t count, std::int64_t values) const {
  // Below, waking a second core costs more than it saves.
  constexpr std::int64_t kValuesWorthSharing = 8192;
  return count * values < kValuesWorthSharing
             ? 1
             : std::min<std::int64_t>(count, threads_.worker_count());
}

void AttentionOps::rope_table(const RopeTable& op) {
  const std::int64_t half = op.inverse_frequencies->size;
  const float* frequencies = op.inverse_frequencies->values();
  CHECK(op.table.columns() == 2 * half, "{} for {} pairs", op.table.columns(), half);
  const auto fill_row = [&](std::int64_t row) {
    const auto position = static_cast<float>(op.positions[static_cast<std::size_t>(row)]);
    float* cosines = op.table.row(row);
    for (std::int64_t i = 0; i < half; ++i) {
      const float angle = position * frequencies[i];
      cosines[i] = std::cos(angle) * op.magnitude;
      cosines[half + i] = std::sin(angle) * op.magnitude;
    }
  };
  const std::int64_t rows = op.table.rows();
  const std::int64_t parts = parts_of(rows, half);
  threads_.run(parts, [&](int, std::int64_t part) {
    const base::Range share = base::share_of(rows, part, parts);
    for (std::int64_t row = share.begin; row < share.end; ++row) fill_row(row);
  });
}

void AttentionOps::prepare_head(const Attention& op, const RmsNorm& norm, float* head,
                                std::int64_t row) const {
  if (norm.weight != nullptr) {
    kernels_.rms_norm(head, norm.weight->values(), op.kv->key_dim, norm.epsilon, head);
  }
  if (op.rope_table.data != nullptr) {
    kernels_.rotate(head, op.rope_table.row(row), op.rope_table.columns(),
                    op.rope_pairs == RopePairs::adjacent);
  }
}

void AttentionOps::write_row(const Attention& op, std::int64_t row, std::int64_t head,
                             Worker& worker) const {
  const KvLayer& kv = *op.kv;
  const std::int64_t slot = op.write_slots[static_cast<std::size_t>(row)];
  const auto kv_head = static_cast<std::int32_t>(head);
  std::byte* encoded = worker.encoded.reserve(0);
  encode(kernels_, kind_of(kv.key_type), op.key.row(row) + head * kv.key_dim, kv.key_dim, encoded);
  kv.key_side().store(slot, kv_head, encoded);
  encode(kernels_, kind_of(kv.value_type), op.value.row(row) + head * kv.value_dim, kv.value_dim,
         encoded);
  kv.value_side().store(slot, kv_head, encoded);
}

void AttentionOps::write_heads(const Attention& op, base::Range share, Worker& own) const {
  const KvLayer& kv = *op.kv;
  const std::int64_t heads = op.heads + kv.kv_heads;
  for (std::int64_t unit = share.begin; unit < share.end; ++unit) {
    const std::int64_t row = unit / heads;
    const std::int64_t head = unit % heads;
    if (head < op.heads) {
      prepare_head(op, op.query_norm, op.query.row(row) + head * kv.key_dim, row);
    } else {
      const std::int64_t kv_head = head - op.heads;
      prepare_head(op, op.key_norm, op.key.row(row) + kv_head * kv.key_dim, row);
      write_row(op, row, kv_head, own);
    }
  }
}

namespace {

/// Where the tiles of keys first..end-1 of the span stand that begins at key `base`.
void find_tiles(const KvLayer& kv, std::int32_t kv_head, const PageId* pages, std::int32_t base,
                std::int32_t first, std::int32_t end, Span& span) {
  const KvSide keys = kv.key_side();
  const KvSide values = kv.value_side();
  span.key_block_bytes = keys.block_stride_bytes();
  span.value_block_bytes = values.block_stride_bytes();
  for (std::int32_t t = first / kKeyTile; t * kKeyTile < end; ++t) {
    const std::int32_t key = base + t * kKeyTile;
    const std::int64_t page = pages[key / kv.page_tokens].value;
    const std::int64_t offset = key % kv.page_tokens;
    span.key_tiles[t] = keys.codes(page, kv_head, offset);
    span.key_scales[t] = keys.scale(page, kv_head, offset);
    span.value_tiles[t] = values.codes(page, kv_head, offset);
    span.value_scales[t] = values.scale(page, kv_head, offset);
  }
}

}  // namespace

Span AttentionOps::attend_span(const Attention& op, const QueryTile& tile, std::int32_t index,
                               Worker& worker, float* parts) const {
  const KvLayer& kv = *op.kv;
  const std::int32_t base = index * kKeySpan;
  Span span{};
  span.key_stride = kv.page_tokens;
  span.key_dim = kv.key_dim;
  span.value_dim = kv.value_dim;
  span.query_count = tile.query_count;
  span.scale = op.scale;
  span.softcap = op.softcap;
  span.weights = floats_at(worker.weights.reserve(0));
  std::int32_t first = kKeySpan;
  std::int32_t end = 0;
  for (std::int32_t q = 0; q < tile.query_count; ++q) {
    const KeyList& keys = op.keys[static_cast<std::size_t>(tile.rows[q])];
    span.queries[q] = op.query.row(tile.rows[q]) + tile.heads[q] * kv.key_dim;
    span.first[q] = std::clamp(keys.first - base, 0, kKeySpan);
    span.end[q] = std::clamp(keys.end - base, 0, kKeySpan);
    span.output[q] = parts + q * kv.value_dim;
    if (span.first[q] >= span.end[q]) continue;
    first = std::min(first, span.first[q]);
    end = std::max(end, span.end[q]);
  }
  if (first >= end) return span;
  find_tiles(kv, tile.kv_head, op.keys[static_cast<std::size_t>(tile.rows[0])].pages, base, first,
             end, span);
  kernels_.score[static_cast<std::size_t>(kind_of(kv.key_type))](span);
  kernels_.weigh[static_cast<std::size_t>(kind_of(kv.value_type))](span);
  return span;
}

namespace {

/// One query's result so far.
struct Running {
  float* total;
  float maximum = 0;
  float sum = 0;
  bool started = false;
};

void take_part(const KernelTable& kernels, Running& running, const float* part, float maximum,
               float sum, std::int64_t value_dim) {
  if (!running.started) {
    std::copy_n(part, value_dim, running.total);
    running.maximum = maximum;
    running.sum = sum;
    running.started = true;
  } else {
    kernels.merge(running.total, &running.maximum, &running.sum, part, maximum, sum, value_dim);
  }
}

void finish(const KernelTable& kernels, const Running& running, std::int64_t value_dim,
            float* output) {
  if (running.started) {
    kernels.divide(running.total, running.sum, value_dim, output);
  } else {
    std::fill_n(output, value_dim, 0.0F);
  }
}

}  // namespace

void AttentionOps::attend_tile(const Attention& op, const QueryTile& tile, Worker& worker) const {
  const std::int64_t value_dim = op.kv->value_dim;
  float* totals = floats_at(worker.totals.reserve(0));
  float* parts = floats_at(worker.parts.reserve(0));
  Running running[kMaxQueries];
  for (std::int32_t q = 0; q < tile.query_count; ++q) running[q].total = totals + q * value_dim;
  for (std::int32_t index = tile.first_span; index < tile.span_end; ++index) {
    const Span span = attend_span(op, tile, index, worker, parts);
    for (std::int32_t q = 0; q < tile.query_count; ++q) {
      if (span.first[q] >= span.end[q]) continue;
      take_part(kernels_, running[q], span.output[q], span.maximum[q], span.sum[q], value_dim);
    }
  }
  for (std::int32_t q = 0; q < tile.query_count; ++q) {
    finish(kernels_, running[q], value_dim,
           op.output.row(tile.rows[q]) + tile.heads[q] * value_dim);
  }
}

void AttentionOps::merge_tile(const Attention& op, const QueryTile& tile, Worker& worker) {
  const std::int64_t value_dim = op.kv->value_dim;
  const float* values = floats_at(part_values_.reserve(0));
  for (std::int32_t q = 0; q < tile.query_count; ++q) {
    const KeyList& keys = op.keys[static_cast<std::size_t>(tile.rows[q])];
    Running running{floats_at(worker.totals.reserve(0))};
    for (std::int32_t index = tile.first_span; index < tile.span_end; ++index) {
      const bool unseen = keys.first >= (index + 1) * kKeySpan || keys.end <= index * kKeySpan;
      if (unseen || keys.first >= keys.end) continue;
      const std::int64_t part =
          tile.first_part + std::int64_t{index - tile.first_span} * kMaxQueries + q;
      const Part& result = parts_[static_cast<std::size_t>(part)];
      take_part(kernels_, running, values + part * value_dim, result.maximum, result.sum,
                value_dim);
    }
    finish(kernels_, running, value_dim, op.output.row(tile.rows[q]) + tile.heads[q] * value_dim);
  }
}

void AttentionOps::attend_part(const Attention& op, std::int64_t unit, Worker& worker) {
  const std::int64_t value_dim = op.kv->value_dim;
  const auto [tile_index, index] = units_[static_cast<std::size_t>(unit)];
  const QueryTile& tile = tiles_[static_cast<std::size_t>(tile_index)];
  const std::int64_t first = tile.first_part + std::int64_t{index - tile.first_span} * kMaxQueries;
  float* values = floats_at(part_values_.reserve(0)) + first * value_dim;
  const Span span = attend_span(op, tile, index, worker, values);
  for (std::int32_t q = 0; q < tile.query_count; ++q) {
    parts_[static_cast<std::size_t>(first + q)] = {span.maximum[q], span.sum[q]};
  }
}

void AttentionOps::attend_spread(const Attention& op) {
  threads_.run(static_cast<std::int64_t>(units_.size()), [&](int worker, std::int64_t unit) {
    attend_part(op, unit, workers_[static_cast<std::size_t>(worker)]);
  });
  const auto tile_count = static_cast<std::int64_t>(tiles_.size());
  const std::int64_t values = op.kv->value_dim * kMaxQueries;
  const std::int64_t parts =
      parts_of(tile_count, values * static_cast<std::int64_t>(units_.size()) / tile_count);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    const base::Range share = base::share_of(tile_count, part, parts);
    for (std::int64_t tile = share.begin; tile < share.end; ++tile) {
      merge_tile(op, tiles_[static_cast<std::size_t>(tile)],
                 workers_[static_cast<std::size_t>(worker)]);
    }
  });
}

void AttentionOps::reserve(const Attention& op, bool spread) {
  const auto value_bytes = static_cast<std::size_t>(op.kv->value_dim) * sizeof(float);
  for (Worker& worker : workers_) {
    const std::int32_t longest = std::max(op.kv->key_dim, op.kv->value_dim);
    worker.encoded.reserve(static_cast<std::size_t>(longest) * sizeof(float));
    worker.parts.reserve(value_bytes * kMaxQueries);
    worker.totals.reserve(value_bytes * kMaxQueries);
  }
  units_.clear();
  if (!spread) return;
  std::int64_t part_count = 0;
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    QueryTile& tile = tiles_[i];
    tile.first_part = part_count;
    for (std::int32_t span = tile.first_span; span < tile.span_end; ++span) {
      units_.emplace_back(static_cast<std::int32_t>(i), span);
      part_count += kMaxQueries;
    }
  }
  if (parts_.size() < static_cast<std::size_t>(part_count)) {
    parts_.resize(static_cast<std::size_t>(part_count));
  }
  part_values_.reserve(static_cast<std::size_t>(part_count) * value_bytes);
}

void AttentionOps::attention(const Attention& op) {
  make_query_tiles(op, tiles_);
  const auto tile_count = static_cast<std::int64_t>(tiles_.size());
  // With several tiles a thread, whole tiles balance; with fewer, their spans must be spread.
  const bool has_several_spans = std::any_of(tiles_.begin(), tiles_.end(), [](const auto& tile) {
    return tile.span_end - tile.first_span > 1;
  });
  const bool spread = has_several_spans && tile_count < 4 * threads_.worker_count();
  reserve(op, spread);
  const std::int64_t heads = op.query.rows() * (op.heads + op.kv->kv_heads);
  const std::int64_t parts = parts_of(heads, op.kv->key_dim);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    write_heads(op, base::share_of(heads, part, parts), workers_[static_cast<std::size_t>(worker)]);
  });
  if (spread) return attend_spread(op);
  threads_.run(tile_count, [&](int worker, std::int64_t tile) {
    attend_tile(op, tiles_[static_cast<std::size_t>(tile)],
                workers_[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace cairn::backend::cpu
