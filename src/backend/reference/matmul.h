#pragma once
// Products with weights: each weight row is decoded to f32 once and serves all rows of the batch.

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "base/thread_pool.h"

namespace cairn::backend::reference {

/// The file's bytes, unchanged: a copy, or the mapped file itself where rows are looked up.
class PlainWeight final : public Weight {
 public:
  PlainWeight(const WeightView& view, WeightUse use);
  void decode_row(std::int64_t row, float* values /*[columns]*/) const;

 private:
  Buffer copy_;
  const std::byte* data_;
  std::size_t row_bytes_;
};

/// Each worker's floats for one decoded weight row.
using WorkerRows = std::vector<std::vector<float>>;

/// projection.output (=, +=) input * weight^T + bias. Split by weight rows.
void project(base::ThreadPool& threads, WorkerRows& decoded, const float* input /*[rows, columns]*/,
             std::int64_t rows, const Projection& projection);

}  // namespace cairn::backend::reference
