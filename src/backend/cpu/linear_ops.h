#pragma once
// Ops that multiply with weights: matmul, mlp, output_head. Weight rows are split over the threads,
// in groups of eight; the sum of an output is never split.
//
// One row is normed and quantized by one thread; several rows are shared.

#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_weight.h"
#include "backend/cpu/scratch.h"
#include "base/thread_pool.h"

namespace cairn::backend::cpu {

class LinearOps {
 public:
  LinearOps(base::ThreadPool& threads, const KernelTable& kernels);

  void matmul(const Matmul& op);
  void mlp(const Mlp& op);
  void output_head(const OutputHead& op);

 private:
  /// The rows that enter a product: all of a tensor, or those that an index names.
  struct Input {
    Tensor tensor;
    std::span<const std::int32_t> rows;  // empty: all
    RmsNorm norm;
    std::int64_t count() const;
    const float* row(std::int64_t index) const;
  };
  /// Rows in the kinds that weights ask for.
  struct Activations {
    std::byte* rows[kActivationKindCount] = {};
    std::int64_t stride_bytes[kActivationKindCount] = {};
  };
  /// One worker's memory.
  struct Worker {
    Scratch normed;
    Scratch tile;
    Scratch second_tile;
  };
  struct OutputScale {
    float scale = 1;
    float softcap = 0;
  };
  using KindSet = bool[kActivationKindCount];

  Activations reserve_activations(Scratch (&memory)[kActivationKindCount], const KindSet& kinds,
                                  std::int64_t rows, std::int64_t width) const;
  void reserve_workers(std::int64_t width);
  void convert_row(const float* input, const RmsNorm& norm, std::int64_t width, Worker& worker,
                   const Activations& to, std::int64_t row) const;
  void convert(const Input& input, const Activations& to);
  /// Into how many parts a product of `groups` is cut: as many for each worker.
  std::int64_t parts_of(std::int64_t groups, std::int64_t inputs, std::int64_t rows) const;
  void project(const Input& input, std::span<const Projection> projections, OutputScale scale);
  void project_converted(std::span<const Projection> projections, const Activations& from,
                         std::int64_t rows, OutputScale scale);
  void project_share(std::span<const Projection> projections, const Activations& from,
                     std::int64_t rows, OutputScale scale, base::Range share, Worker& worker) const;
  void project_groups(const Projection& projection, const Activations& from, std::int64_t rows,
                      base::Range groups, OutputScale scale, Worker& worker) const;
  void fill_hidden(const Mlp& op, const Activations& from, const Activations& hidden,
                   std::int64_t rows, base::Range share, Worker& worker) const;
  void multiply(const Weight& weight, base::Range groups, const Activations& from,
                base::Range columns, float* tile, std::int64_t tile_stride) const;

  base::ThreadPool& threads_;
  const KernelTable& kernels_;
  Scratch inputs_[kActivationKindCount];
  Scratch hidden_[kActivationKindCount];
  std::vector<Worker> workers_;
};

}  // namespace cairn::backend::cpu
