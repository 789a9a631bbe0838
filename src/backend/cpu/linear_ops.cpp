#include "backend/cpu/linear_ops.h"

#include <algorithm>

namespace cairn::backend::cpu {
namespace {

// A tile of results stays in the first-level cache between kernel and epilogue.
constexpr std::int64_t kTileFloats = 8192;
constexpr std::int64_t kTileColumns = 256;
// Groups that a worker takes at least. In a hidden layer they form one block of the next product's
// activations.
constexpr std::int64_t kGrain = kBlockValues / kGroupRows;
static_assert(kGrain * kGroupRows * kTileColumns <= kTileFloats);

// Values below which handing rows out costs more than doing them.
constexpr std::int64_t kValuesWorthSharing = 8192;
// Some 50 microseconds of decoding: what a worker may hold up when its core is taken away.
constexpr std::int64_t kProductsPerPart = 1 << 20;

/// Groups of rows whose results for `rows` columns fit the tile, in whole grains: kernels take two
/// groups at once.
constexpr std::int64_t groups_at_once(std::int64_t rows) {
  return kTileFloats / (std::min(rows, kTileColumns) * kGroupRows) / kGrain * kGrain;
}

constexpr std::size_t index_of(ActivationKind kind) {
  return static_cast<std::size_t>(kind);
}

std::int64_t row_bytes(ActivationKind kind, std::int64_t width) {
  constexpr std::int64_t kLine = 64;
  const std::int64_t bytes =
      kind == ActivationKind::floats
          ? width * static_cast<std::int64_t>(sizeof(float))
          : width / kBlockValues * static_cast<std::int64_t>(sizeof(ActivationBlock));
  return (bytes + kLine - 1) / kLine * kLine;
}

float* floats_at(std::byte* p) {
  return static_cast<float*>(static_cast<void*>(p));
}
ActivationBlock* blocks_at(std::byte* p) {
  return static_cast<ActivationBlock*>(static_cast<void*>(p));
}
const float* values_or_null(const Vector* vector) {
  return vector == nullptr ? nullptr : vector->values();
}

}  // namespace

LinearOps::LinearOps(base::ThreadPool& threads, const KernelTable& kernels)
    : threads_(threads),
      kernels_(kernels),
      workers_(static_cast<std::size_t>(threads.worker_count())) {
  for (Worker& worker : workers_) {
    worker.tile.reserve(kTileFloats * sizeof(float));
    worker.second_tile.reserve(kTileFloats * sizeof(float));
  }
}

std::int64_t LinearOps::Input::count() const {
  return rows.empty() ? tensor.rows() : static_cast<std::int64_t>(rows.size());
}

const float* LinearOps::Input::row(std::int64_t index) const {
  return tensor.row(rows.empty() ? index : rows[static_cast<std::size_t>(index)]);
}

LinearOps::Activations LinearOps::reserve_activations(Scratch (&memory)[kActivationKindCount],
                                                      const KindSet& kinds, std::int64_t rows,
                                                      std::int64_t width) const {
  Activations result;
  for (const ActivationKind kind : {ActivationKind::floats, ActivationKind::blocks}) {
    const std::size_t i = index_of(kind);
    if (!kinds[i]) continue;
    result.stride_bytes[i] = row_bytes(kind, width);
    result.rows[i] = memory[i].reserve(static_cast<std::size_t>(rows * result.stride_bytes[i]));
  }
  return result;
}

void LinearOps::reserve_workers(std::int64_t width) {
  for (Worker& worker : workers_) {
    worker.normed.reserve(static_cast<std::size_t>(width) * sizeof(float));
  }
}

void LinearOps::convert_row(const float* input, const RmsNorm& norm, std::int64_t width,
                            Worker& worker, const Activations& to, std::int64_t row) const {
  const float* values = input;
  if (norm.weight != nullptr) {
    CHECK(norm.weight->size == width, "norm of {} values, row of {}", norm.weight->size, width);
    float* normed = floats_at(worker.normed.reserve(0));
    kernels_.rms_norm(input, norm.weight->values(), width, norm.epsilon, normed);
    values = normed;
  }
  constexpr std::size_t kFloats = index_of(ActivationKind::floats);
  constexpr std::size_t kBlocks = index_of(ActivationKind::blocks);
  if (to.rows[kFloats] != nullptr) {
    std::copy_n(values, width, floats_at(to.rows[kFloats] + row * to.stride_bytes[kFloats]));
  }
  if (to.rows[kBlocks] != nullptr) {
    kernels_.quantize(values, width, blocks_at(to.rows[kBlocks] + row * to.stride_bytes[kBlocks]));
  }
}

void LinearOps::convert(const Input& input, const Activations& to) {
  const std::int64_t width = input.tensor.columns();
  const std::int64_t rows = input.count();
  const std::int64_t parts = rows * width < kValuesWorthSharing
                                 ? 1
                                 : std::min<std::int64_t>(rows, threads_.worker_count());
  threads_.run(parts, [&](int worker, std::int64_t part) {
    const base::Range share = base::share_of(rows, part, parts);
    for (std::int64_t row = share.begin; row < share.end; ++row) {
      convert_row(input.row(row), input.norm, width, workers_[static_cast<std::size_t>(worker)], to,
                  row);
    }
  });
}

std::int64_t LinearOps::parts_of(std::int64_t groups, std::int64_t inputs,
                                 std::int64_t rows) const {
  const std::int64_t workers = threads_.worker_count();
  const std::int64_t products = groups * kGroupRows * inputs * rows;
  const std::int64_t rounds = (products / kProductsPerPart + workers - 1) / workers;
  return std::min(std::max<std::int64_t>(rounds, 1) * workers, (groups + kGrain - 1) / kGrain);
}

void LinearOps::multiply(const Weight& weight, base::Range groups, const Activations& from,
                         base::Range columns, float* tile, std::int64_t tile_stride) const {
  const CpuWeight& prepared = cpu_weight(weight);
  const std::size_t kind = index_of(prepared.activations());
  Product product = prepared.product(groups.begin, groups.end - groups.begin);
  product.activations = from.rows[kind] + columns.begin * from.stride_bytes[kind];
  product.activations_stride_bytes = from.stride_bytes[kind];
  product.column_count = columns.end - columns.begin;
  product.tile = tile;
  product.tile_stride = tile_stride;
  kernels_.multiply[static_cast<std::size_t>(prepared.layout())](product);
}

void LinearOps::project_groups(const Projection& projection, const Activations& from,
                               std::int64_t rows, base::Range groups, OutputScale scale,
                               Worker& worker) const {
  float* tile = floats_at(worker.tile.reserve(0));
  const std::int64_t outputs = projection.weight->rows();
  const std::int64_t columns_at_once = std::min(rows, kTileColumns);
  const std::int64_t step = groups_at_once(rows);
  for (std::int64_t group = groups.begin; group < groups.end; group += step) {
    const std::int64_t group_end = std::min(group + step, groups.end);
    const std::int64_t first = group * kGroupRows;
    const std::int64_t stride = (group_end - group) * kGroupRows;
    const std::int64_t count = std::min(group_end * kGroupRows, outputs) - first;
    for (std::int64_t row = 0; row < rows; row += columns_at_once) {
      const base::Range columns{row, std::min(row + columns_at_once, rows)};
      multiply(*projection.weight, {group, group_end}, from, columns, tile, stride);
      const float* bias = values_or_null(projection.bias);
      const Epilogue epilogue{.tile = tile,
                              .tile_stride = stride,
                              .column_count = columns.end - columns.begin,
                              .row_count = count,
                              .bias = bias == nullptr ? nullptr : bias + first,
                              .add = projection.store == Store::add,
                              .output = projection.output.row(row) + first,
                              .output_stride = outputs};
      kernels_.finish(epilogue);
      if (scale.scale == 1 && scale.softcap <= 0) continue;
      for (std::int64_t i = columns.begin; i < columns.end; ++i) {
        kernels_.scale_and_cap(projection.output.row(i) + first, count, scale.scale, scale.softcap);
      }
    }
  }
}

void LinearOps::project_share(std::span<const Projection> projections, const Activations& from,
                              std::int64_t rows, OutputScale scale, base::Range share,
                              Worker& worker) const {
  std::int64_t before = 0;
  for (const Projection& projection : projections) {
    const std::int64_t count = cpu_weight(*projection.weight).group_count();
    const base::Range groups{std::max<std::int64_t>(share.begin - before, 0),
                             std::min(share.end - before, count)};
    if (groups.begin < groups.end) {
      project_groups(projection, from, rows, groups, scale, worker);
    }
    before += count;
  }
}

void LinearOps::project_converted(std::span<const Projection> projections, const Activations& from,
                                  std::int64_t rows, OutputScale scale) {
  std::int64_t groups = 0;
  for (const Projection& projection : projections) {
    groups += cpu_weight(*projection.weight).group_count();
  }
  const std::int64_t parts = parts_of(groups, projections.front().weight->columns(), rows);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    project_share(projections, from, rows, scale, base::share_of(groups, part, parts, kGrain),
                  workers_[static_cast<std::size_t>(worker)]);
  });
}

void LinearOps::project(const Input& input, std::span<const Projection> projections,
                        OutputScale scale) {
  const std::int64_t rows = input.count();
  if (rows == 0) return;
  KindSet kinds = {};
  for (const Projection& projection : projections) {
    const CpuWeight& weight = cpu_weight(*projection.weight);
    CHECK(weight.columns() == input.tensor.columns(), "{}: {} inputs, tensor of {}", weight.name(),
          weight.columns(), input.tensor.columns());
    CHECK(projection.output.columns() == weight.rows(), "{}: {} outputs, tensor of {}",
          weight.name(), weight.rows(), projection.output.columns());
    kinds[index_of(weight.activations())] = true;
  }
  reserve_workers(input.tensor.columns());
  const Activations to = reserve_activations(inputs_, kinds, rows, input.tensor.columns());
  convert(input, to);
  project_converted(projections, to, rows, scale);
}

void LinearOps::matmul(const Matmul& op) {
  project({op.input, {}, op.norm}, op.projections, {});
}

void LinearOps::output_head(const OutputHead& op) {
  if (op.rows.empty()) return;
  const Projection projection{op.weight, op.bias, op.logits, Store::assign};
  project({op.input, op.rows, op.norm}, {&projection, 1}, {op.scale, op.softcap});
}

void LinearOps::fill_hidden(const Mlp& op, const Activations& from, const Activations& hidden,
                            std::int64_t rows, base::Range share, Worker& worker) const {
  float* gate = floats_at(worker.tile.reserve(0));
  float* up = floats_at(worker.second_tile.reserve(0));
  const std::int64_t width = op.gate->rows();
  const std::size_t kind = index_of(cpu_weight(*op.down).activations());
  const auto activate =
      op.activation == Activation::silu ? kernels_.silu_gated : kernels_.gelu_gated;
  const auto add_bias = [&](const Vector* bias, float* tile, std::int64_t first, std::int64_t count,
                            std::int64_t columns) {
    if (bias == nullptr) return;
    kernels_.finish(
        {tile, kBlockValues, columns, count, bias->values() + first, false, tile, kBlockValues});
  };
  for (std::int64_t group = share.begin; group < share.end; group += kGrain) {
    const base::Range unit{group, std::min(group + kGrain, share.end)};
    const std::int64_t first = group * kGroupRows;
    const std::int64_t count = std::min(kBlockValues, width - first);
    for (std::int64_t row = 0; row < rows; row += kTileColumns) {
      const base::Range columns{row, std::min(row + kTileColumns, rows)};
      const std::int64_t column_count = columns.end - columns.begin;
      multiply(*op.gate, unit, from, columns, gate, kBlockValues);
      multiply(*op.up, unit, from, columns, up, kBlockValues);
      add_bias(op.gate_bias, gate, first, count, column_count);
      add_bias(op.up_bias, up, first, count, column_count);
      activate(gate, up, column_count * kBlockValues);
      for (std::int64_t i = 0; i < column_count; ++i) {
        std::byte* to = hidden.rows[kind] + (row + i) * hidden.stride_bytes[kind];
        const float* values = gate + i * kBlockValues;
        if (kind == index_of(ActivationKind::blocks)) {
          kernels_.quantize(values, kBlockValues, blocks_at(to) + first / kBlockValues);
        } else {
          std::copy_n(values, count, floats_at(to) + first);
        }
      }
    }
  }
}

void LinearOps::mlp(const Mlp& op) {
  const std::int64_t rows = op.input.rows();
  if (rows == 0) return;
  KindSet kinds = {};
  kinds[index_of(cpu_weight(*op.gate).activations())] = true;
  kinds[index_of(cpu_weight(*op.up).activations())] = true;
  KindSet hidden_kinds = {};
  hidden_kinds[index_of(cpu_weight(*op.down).activations())] = true;
  reserve_workers(op.input.columns());
  const Activations to = reserve_activations(inputs_, kinds, rows, op.input.columns());
  const Activations hidden = reserve_activations(hidden_, hidden_kinds, rows, op.gate->rows());
  const Input input{op.input, {}, op.norm};
  const Projection down{op.down, op.down_bias, op.output, op.store};
  convert(input, to);
  const std::int64_t groups = cpu_weight(*op.gate).group_count();
  const std::int64_t parts = parts_of(groups, 2 * op.input.columns(), rows);
  threads_.run(parts, [&](int worker, std::int64_t part) {
    fill_hidden(op, to, hidden, rows, base::share_of(groups, part, parts, kGrain),
                workers_[static_cast<std::size_t>(worker)]);
  });
  project_converted({&down, 1}, hidden, rows, {});
}

}  // namespace cairn::backend::cpu
