#include "backend/reference/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/reference/norm.h"
#include "backend/reference/rope.h"

namespace cairn::backend::reference {
namespace {

float* grown(std::vector<float>& values, std::int64_t size) {
  if (values.size() < static_cast<std::size_t>(size)) values.resize(static_cast<std::size_t>(size));
  return values.data();
}

/// Norms and turns each head of one row.
void prepare_heads(const Attention& op, const RmsNorm& norm, float* heads, std::int64_t head_count,
                   std::int64_t row) {
  const std::int64_t dim = op.kv->key_dim;
  for (std::int64_t head = 0; head < head_count; ++head) {
    float* values = heads + head * dim;
    rms_norm(norm, values, values, dim);
    if (op.rope_table.data != nullptr) {
      rotate(values, op.rope_table.row(row), op.rope_table.columns(), op.rope_pairs);
    }
  }
}

void store_values(const KvSide& side, DType type, const float* values, std::int64_t dim,
                  std::int64_t slot, std::int32_t kv_head, std::vector<std::byte>& encoded) {
  const tensor::Format& format = tensor::format_of(type);
  const std::size_t block_count = static_cast<std::size_t>(dim) / format.values_per_block;
  encoded.resize(block_count * format.bytes_per_block);
  format.encode(values, encoded.data(), block_count);
  side.store(slot, kv_head, encoded.data());
}

/// Writes one row's key and value of all KV heads to the row's slot, rounded to the KV type.
void store_row(const Attention& op, std::int64_t row, std::vector<std::byte>& encoded) {
  const KvLayer& kv = *op.kv;
  const std::int64_t slot = op.write_slots[static_cast<std::size_t>(row)];
  for (std::int32_t head = 0; head < kv.kv_heads; ++head) {
    store_values(kv.key_side(), kv.key_type, op.key.row(row) + head * kv.key_dim, kv.key_dim, slot,
                 head, encoded);
    store_values(kv.value_side(), kv.value_type, op.value.row(row) + head * kv.value_dim,
                 kv.value_dim, slot, head, encoded);
  }
}

/// The keys of a row that stand in one page: indices begin..end-1, in the page `id`.
struct PageKeys {
  std::int64_t id;
  std::int64_t first_index;  // index of the page's slot 0
  std::int64_t begin;
  std::int64_t end;
};

/// Decodes the rows of `keys`' positions and hands each to visit(offset in the page, values).
template <class Visit>
void decode_rows(const KvSide& side, DType type, const PageKeys& keys, std::int32_t kv_head,
                 AttentionScratch& scratch, Visit visit) {
  const tensor::Format& format = tensor::format_of(type);
  const auto block_count = static_cast<std::size_t>(side.block_count * side.code_bytes) /
                           (format.bytes_per_block - static_cast<std::size_t>(side.scale_bytes));
  scratch.encoded.resize(block_count * format.bytes_per_block);
  float* row = grown(scratch.row, static_cast<std::int64_t>(block_count * format.values_per_block));
  for (std::int64_t i = keys.begin; i < keys.end; ++i) {
    const std::int64_t offset = i - keys.first_index;
    side.load(keys.id * side.page_tokens + offset, kv_head, scratch.encoded.data());
    format.decode(scratch.encoded.data(), row, block_count);
    visit(offset, row);
  }
}

template <class Visit>
void for_each_page(const KeyList& keys, std::int32_t page_tokens, Visit visit) {
  for (std::int64_t begin = keys.first; begin < keys.end;) {
    const std::int64_t page = begin / page_tokens;
    const std::int64_t end = std::min<std::int64_t>((page + 1) * page_tokens, keys.end);
    visit(PageKeys{keys.pages[page].value, page * page_tokens, begin, end});
    begin = end;
  }
}

/// scores[i] = scale * q . k_i, capped.
void score(const Attention& op, const float* query, const float* page_keys, const PageKeys& keys,
           float* scores) {
  const KvLayer& kv = *op.kv;
  for (std::int64_t i = keys.begin; i < keys.end; ++i) scores[i] = 0;
  for (std::int64_t d = 0; d < kv.key_dim; ++d) {
    const float* dimension = page_keys + d * kv.page_tokens - keys.first_index;
    for (std::int64_t i = keys.begin; i < keys.end; ++i) scores[i] += query[d] * dimension[i];
  }
  for (std::int64_t i = keys.begin; i < keys.end; ++i) {
    scores[i] *= op.scale;
    if (op.softcap > 0) scores[i] = op.softcap * std::tanh(scores[i] / op.softcap);
  }
}

/// Turns scores[first..end-1] into probabilities, in order.
void softmax(const KeyList& keys, float* scores) {
  float highest = scores[keys.first];
  for (std::int32_t i = keys.first; i < keys.end; ++i) highest = std::max(highest, scores[i]);
  float sum = 0;
  for (std::int32_t i = keys.first; i < keys.end; ++i) {
    scores[i] = std::exp(scores[i] - highest);
    sum += scores[i];
  }
  for (std::int32_t i = keys.first; i < keys.end; ++i) scores[i] /= sum;
}

/// All query heads of one KV head, for one row.
void attend_row(const Attention& op, std::int64_t row, std::int32_t kv_head,
                AttentionScratch& scratch) {
  const KvLayer& kv = *op.kv;
  const KeyList& keys = op.keys[static_cast<std::size_t>(row)];
  const std::int64_t group = op.heads / kv.kv_heads;
  float* page =
      grown(scratch.page, std::int64_t{std::max(kv.key_dim, kv.value_dim)} * kv.page_tokens);
  float* scores = grown(scratch.scores, group * keys.end);
  const float* queries = op.query.row(row) + kv_head * group * kv.key_dim;
  float* outputs = op.output.row(row) + kv_head * group * kv.value_dim;

  for_each_page(keys, kv.page_tokens, [&](const PageKeys& part) {
    decode_rows(kv.key_side(), kv.key_type, part, kv_head, scratch,
                [&](std::int64_t offset, const float* key) {
                  for (std::int64_t d = 0; d < kv.key_dim; ++d) {
                    page[d * kv.page_tokens + offset] = key[d];
                  }
                });
    for (std::int64_t head = 0; head < group; ++head) {
      score(op, queries + head * kv.key_dim, page, part, scores + head * keys.end);
    }
  });
  for (std::int64_t head = 0; head < group; ++head) softmax(keys, scores + head * keys.end);
  std::fill_n(outputs, group * kv.value_dim, 0.0F);
  for_each_page(keys, kv.page_tokens, [&](const PageKeys& part) {
    decode_rows(kv.value_side(), kv.value_type, part, kv_head, scratch,
                [&](std::int64_t offset, const float* value) {
                  std::copy_n(value, kv.value_dim, page + offset * kv.value_dim);
                });
    for (std::int64_t head = 0; head < group; ++head) {
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        const float probability = scores[head * keys.end + i];
        const float* value = page + (i - part.first_index) * kv.value_dim;
        float* output = outputs + head * kv.value_dim;
        for (std::int64_t d = 0; d < kv.value_dim; ++d) output[d] += probability * value[d];
      }
    }
  });
}

}  // namespace

void attend(base::ThreadPool& threads, std::vector<AttentionScratch>& scratch,
            const Attention& op) {
  const KvLayer& kv = *op.kv;
  const std::int64_t rows = op.query.rows();
  threads.run(rows, [&](int worker, std::int64_t row) {
    prepare_heads(op, op.query_norm, op.query.row(row), op.heads, row);
    prepare_heads(op, op.key_norm, op.key.row(row), kv.kv_heads, row);
    store_row(op, row, scratch[static_cast<std::size_t>(worker)].encoded);
  });
  threads.run(rows * kv.kv_heads, [&](int worker, std::int64_t unit) {
    attend_row(op, unit / kv.kv_heads, static_cast<std::int32_t>(unit % kv.kv_heads),
               scratch[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace cairn::backend::reference
