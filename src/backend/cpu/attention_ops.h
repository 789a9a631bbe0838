#pragma once
// Attention over pages. Queries of one KV head and one sequence that stand side by side in the
// batch are attended together, up to kMaxQueries, so that they share each key and value that is
// read.
//
// The keys of a query are walked in spans of kKeySpan, aligned to the key's index; each span gives
// a maximum, a sum and a weighted value, merged in ascending order (DESIGN N2). With many tiles of
// queries, a thread walks all spans of a tile; with few (decode), spans of one tile are spread over
// the threads and merged afterwards. The operations are the same ones.

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/query_tiles.h"
#include "backend/cpu/scratch.h"
#include "base/thread_pool.h"

namespace cairn::backend::cpu {

class AttentionOps {
 public:
  AttentionOps(base::ThreadPool& threads, const KernelTable& kernels);

  void rope_table(const RopeTable& op);
  void attention(const Attention& op);

 private:
  /// One span's result for one query; value_dim floats follow elsewhere.
  struct Part {
    float maximum;
    float sum;
  };
  /// Spans begin..end-1 of a tile; tile < 0: none.
  struct SpansOfTile {
    std::int32_t tile = -1;
    std::int32_t begin = 0;
    std::int32_t end = 0;
  };
  /// One worker's memory: weights of a span, results of a span, running totals.
  struct Worker {
    Scratch weights;
    Scratch parts;
    Scratch totals;
    Scratch encoded;
  };

  void cut_into_units(std::int64_t span_count);
  void reserve(const Attention& op, bool spread);
  /// Into how many parts `count` pieces of small work, of `values` values each, are cut.
  std::int64_t parts_of(std::int64_t count, std::int64_t values) const;
  void write_heads(const Attention& op, base::Range share, Worker& worker) const;
  void prepare_head(const Attention& op, const RmsNorm& norm, float* head, std::int64_t row) const;
  void write_row(const Attention& op, std::int64_t row, std::int64_t head, Worker& worker) const;
  Span attend_span(const Attention& op, SpansOfTile now, SpansOfTile next, Worker& worker,
                   float* parts) const;
  void attend_tile(const Attention& op, std::int32_t index, Worker& worker) const;
  void attend_part(const Attention& op, std::size_t unit, Worker& worker);
  void attend_spread(const Attention& op);
  void merge_query(const Attention& op, const QueryTile& tile, std::int32_t q, Worker& worker);
  void merge_queries(const Attention& op, base::Range share, Worker& worker);

  base::ThreadPool& threads_;
  const KernelTable& kernels_;
  std::vector<QueryTile> tiles_;
  std::vector<Part> parts_;
  std::vector<SpansOfTile> units_;
  Scratch part_values_;
  std::vector<Worker> workers_;
};

}  // namespace cairn::backend::cpu
