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
  constexpr std::int64_t kValuesWorthSharing = 4096;
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

const PageId* pages_of(const Attention& op, const QueryTile& tile) {
  return op.keys[static_cast<std::size_t>(tile.rows[0])].pages;
}

/// What holds the keys or values of a tile's span and does not continue what stands before: the
/// processor reads ahead by itself from address to address. Tiles of keys lie among each other in a
/// page, so that its bytes are dealt to them.
Ahead pieces_of(const KvSide& side, const QueryTile& tile, const PageId* pages,
                std::int32_t index) {
  const std::int32_t base = index * kKeySpan;
  Ahead ahead{};
  ahead.piece_bytes = side.head_bytes() / (side.page_tokens / kKeyTile);
  const std::int32_t end = (std::min(tile.key_end - base, kKeySpan) + kKeyTile - 1) / kKeyTile;
  for (std::int32_t t = std::max(tile.first_key - base, 0) / kKeyTile; t < end; ++t) {
    const std::int32_t key = base + t * kKeyTile;
    const std::int64_t page = pages[key / side.page_tokens].value;
    const std::int32_t place = key % side.page_tokens / kKeyTile;
    ahead.pieces[t] = side.head(page, tile.kv_head) + place * ahead.piece_bytes;
  }
  return ahead;
}

}  // namespace

Span AttentionOps::attend_span(const Attention& op, SpansOfTile now, SpansOfTile next,
                               Worker& worker, float* parts) const {
  const KvLayer& kv = *op.kv;
  const QueryTile& tile = tiles_[static_cast<std::size_t>(now.tile)];
  const std::int32_t base = now.begin * kKeySpan;
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
  find_tiles(kv, tile.kv_head, pages_of(op, tile), base, first, end, span);
  span.values_ahead = pieces_of(kv.value_side(), tile, pages_of(op, tile), now.begin);
  if (next.tile >= 0) {
    const QueryTile& next_tile = tiles_[static_cast<std::size_t>(next.tile)];
    span.keys_ahead = pieces_of(kv.key_side(), next_tile, pages_of(op, next_tile), next.begin);
  }
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

void AttentionOps::attend_tile(const Attention& op, std::int32_t index, Worker& worker) const {
  const QueryTile& tile = tiles_[static_cast<std::size_t>(index)];
  const std::int64_t value_dim = op.kv->value_dim;
  float* totals = floats_at(worker.totals.reserve(0));
  float* parts = floats_at(worker.parts.reserve(0));
  Running running[kMaxQueries];
  for (std::int32_t q = 0; q < tile.query_count; ++q) running[q].total = totals + q * value_dim;
  for (std::int32_t i = tile.first_span; i < tile.span_end; ++i) {
    const SpansOfTile next =
        i + 1 < tile.span_end ? SpansOfTile{index, i + 1, i + 2} : SpansOfTile{};
    const Span span = attend_span(op, {index, i, i + 1}, next, worker, parts);
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

void AttentionOps::merge_query(const Attention& op, const QueryTile& tile, std::int32_t q,
                               Worker& worker) {
  const std::int64_t value_dim = op.kv->value_dim;
  const float* values = floats_at(part_values_.reserve(0));
  const KeyList& keys = op.keys[static_cast<std::size_t>(tile.rows[q])];
  Running running{floats_at(worker.totals.reserve(0))};
  for (std::int32_t index = tile.first_span; index < tile.span_end; ++index) {
    const bool unseen = keys.first >= (index + 1) * kKeySpan || keys.end <= index * kKeySpan;
    if (unseen || keys.first >= keys.end) continue;
    const std::int64_t part =
        tile.first_part + std::int64_t{index - tile.first_span} * tile.query_count + q;
    const Part& result = parts_[static_cast<std::size_t>(part)];
    take_part(kernels_, running, values + part * value_dim, result.maximum, result.sum, value_dim);
  }
  finish(kernels_, running, value_dim, op.output.row(tile.rows[q]) + tile.heads[q] * value_dim);
}

void AttentionOps::merge_queries(const Attention& op, base::Range share, Worker& worker) {
  std::int64_t first = 0;
  for (const QueryTile& tile : tiles_) {
    const std::int64_t begin = std::max<std::int64_t>(share.begin - first, 0);
    const std::int64_t end = std::min<std::int64_t>(share.end - first, tile.query_count);
    for (std::int64_t q = begin; q < end; ++q) {
      merge_query(op, tile, static_cast<std::int32_t>(q), worker);
    }
    first += tile.query_count;
  }
}

void AttentionOps::attend_part(const Attention& op, std::size_t unit, Worker& worker) {
  const SpansOfTile now = units_[unit];
  const QueryTile& tile = tiles_[static_cast<std::size_t>(now.tile)];
  // Workers take turns, mostly: what this one will take next.
  const std::size_t later = unit + static_cast<std::size_t>(threads_.worker_count());
  for (std::int32_t i = now.begin; i < now.end; ++i) {
    SpansOfTile next = {now.tile, i + 1, i + 2};
    if (i + 1 == now.end) next = later < units_.size() ? units_[later] : SpansOfTile{};
    const std::int64_t first =
        tile.first_part + std::int64_t{i - tile.first_span} * tile.query_count;
    float* values = floats_at(part_values_.reserve(0)) + first * op.kv->value_dim;
    const Span span = attend_span(op, {now.tile, i, i + 1}, next, worker, values);
    for (std::int32_t q = 0; q < tile.query_count; ++q) {
      parts_[static_cast<std::size_t>(first + q)] = {span.maximum[q], span.sum[q]};
    }
  }
}

void AttentionOps::attend_spread(const Attention& op) {
  threads_.run(static_cast<std::int64_t>(units_.size()), [&](int worker, std::int64_t unit) {
    attend_part(op, static_cast<std::size_t>(unit), workers_[static_cast<std::size_t>(worker)]);
  });
  const std::int64_t queries = op.query.rows() * op.heads;
  const std::int64_t spans = tiles_.front().span_end - tiles_.front().first_span;
  const std::int64_t parts = parts_of(queries, spans * op.kv->value_dim);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    merge_queries(op, base::share_of(queries, part, parts),
                  workers_[static_cast<std::size_t>(worker)]);
  });
}

void AttentionOps::cut_into_units(std::int64_t span_count) {
  // Spans in a row are read faster than single ones, as long as all threads have several units.
  constexpr std::int64_t kMostSpans = 4;
  const std::int64_t units_wanted = 8 * threads_.worker_count();
  const auto spans =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(span_count / units_wanted, 1, kMostSpans));
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const QueryTile& tile = tiles_[i];
    for (std::int32_t begin = tile.first_span; begin < tile.span_end; begin += spans) {
      units_.push_back(
          {static_cast<std::int32_t>(i), begin, std::min(begin + spans, tile.span_end)});
    }
  }
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
  std::int64_t span_count = 0;
  for (QueryTile& tile : tiles_) {
    tile.first_part = part_count;
    const std::int64_t spans = tile.span_end - tile.first_span;
    span_count += spans;
    part_count += spans * tile.query_count;
  }
  cut_into_units(span_count);
  if (parts_.size() < static_cast<std::size_t>(part_count)) {
    parts_.resize(static_cast<std::size_t>(part_count));
  }
  part_values_.reserve(static_cast<std::size_t>(part_count) * value_bytes);
}

void AttentionOps::attention(const Attention& op) {
  const std::int64_t least_units = 4 * threads_.worker_count();
  make_query_tiles(op, least_units, tiles_);
  const auto tile_count = static_cast<std::int64_t>(tiles_.size());
  // With several tiles a thread, whole tiles balance; with fewer, their spans must be spread.
  const bool has_several_spans = std::any_of(tiles_.begin(), tiles_.end(), [](const auto& tile) {
    return tile.span_end - tile.first_span > 1;
  });
  const bool spread = has_several_spans && tile_count < least_units;
  reserve(op, spread);
  const std::int64_t heads = op.query.rows() * (op.heads + op.kv->kv_heads);
  const std::int64_t parts = parts_of(heads, op.kv->key_dim);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    write_heads(op, base::share_of(heads, part, parts), workers_[static_cast<std::size_t>(worker)]);
  });
  if (spread) return attend_spread(op);
  threads_.run(tile_count, [&](int worker, std::int64_t tile) {
    attend_tile(op, static_cast<std::int32_t>(tile), workers_[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace cairn::backend::cpu
