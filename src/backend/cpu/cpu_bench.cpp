// Products per format and number of columns, on one core and on all usable ones. Bytes are the
// file's, operations two per multiply-add:
//
//   CAIRN_ISA=avx2 backend_bench --benchmark_filter=product/q4_1
//
// instructions/FORMAT/COLUMNS calls a kernel a fixed number of times: bench/instructions.py counts.

#include <benchmark/benchmark.h>

#include "backend/cpu/cpu_weight.h"
#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

// Together larger than a last-level cache, so that one column is read from memory.
constexpr std::int64_t kOutputs = 16384;
constexpr std::int64_t kInputs = 4096;

/// Encoding so many values takes long: a few encoded rows, repeated.
class RepeatedWeight {
 public:
  explicit RepeatedWeight(DType dtype) : few_(dtype, 16, kInputs, 1) {
    view_ = few_.view();
    view_.values.shape = {kOutputs, kInputs};
    bytes_ = Buffer(view_.values.size_bytes());
    const std::size_t part = few_.view().values.size_bytes();
    for (std::size_t i = 0; i < bytes_.size_bytes(); i += part) {
      std::copy_n(few_.bytes(), part, bytes_.data() + i);
    }
    view_.values.data = bytes_.data();
  }
  const WeightView& view() const { return view_; }

 private:
  RandomWeight few_;
  Buffer bytes_;
  WeightView view_;
};

void product(benchmark::State& state, DType dtype, std::int64_t columns, int thread_count) {
  base::ThreadPool threads(thread_count);
  base::SystemClock clock;
  base::Log log;
  Context context{threads, clock, log};
  const auto backend = make_cpu_backend(context);
  const auto weight = backend->prepare(RepeatedWeight(dtype).view(), WeightUse::matmul);
  Matrix input(columns, kInputs);
  Matrix output(columns, kOutputs);
  Draws draws(2);
  input.fill(draws);
  const Projection projection{weight.get(), nullptr, output.tensor(), Store::assign};
  for (auto _ : state) {
    backend->matmul({input.tensor(), {}, {&projection, 1}});
    benchmark::ClobberMemory();
  }
  const auto passes = static_cast<double>(state.iterations());
  const auto rate = benchmark::Counter::kIsRate;
  state.counters["GB/s"] = {1e-9 * passes * static_cast<double>(weight->file_bytes()), rate};
  state.counters["GOP/s"] = {1e-9 * passes * 2 * static_cast<double>(kOutputs * kInputs * columns),
                             rate};
}

/// 128 rows of 1024 inputs, without anything around them.
void kernel_alone(benchmark::State& state, DType dtype, std::int64_t columns) {
  constexpr std::int64_t kRows = 128;
  constexpr std::int64_t kWidth = 1024;
  const KernelTable& kernels = select_isa();
  base::ThreadPool threads(1);
  WeightMemory memory;
  const CpuWeight weight(RandomWeight(dtype, kRows, kWidth, 1).view(), WeightUse::matmul, threads,
                         memory);
  Matrix input(columns, kWidth);
  Matrix tile(columns, kRows);
  Draws draws(2);
  input.fill(draws);
  std::vector<ActivationBlock> blocks(static_cast<std::size_t>(input.size() / kBlockValues));
  kernels.quantize(input.row(0), input.size(), blocks.data());
  const bool takes_floats = weight.activations() == ActivationKind::floats;
  Product product = weight.product(0, kRows / kGroupRows);
  product.activations = static_cast<const std::byte*>(
      takes_floats ? static_cast<const void*>(input.row(0)) : blocks.data());
  product.activations_stride_bytes =
      takes_floats ? kWidth * static_cast<std::int64_t>(sizeof(float))
                   : kWidth / kBlockValues * static_cast<std::int64_t>(sizeof(ActivationBlock));
  product.column_count = columns;
  product.tile = tile.row(0);
  product.tile_stride = kRows;
  for (auto _ : state) {
    kernels.multiply[static_cast<std::size_t>(weight.layout())](product);
    benchmark::ClobberMemory();
  }
}

void register_format(DType dtype) {
  const std::string format(tensor::format_of(dtype).name);
  const int cores = base::usable_core_count();
  for (const std::int64_t columns : {1, 2, 4, 8, 32, 256}) {
    const std::string suffix = format + "/" + std::to_string(columns);
    for (const int threads : {1, cores}) {
      const std::string name = "product/" + suffix + "/threads:" + std::to_string(threads);
      auto* registered =
          benchmark::RegisterBenchmark(name.c_str(), product, dtype, columns, threads);
      registered->Unit(benchmark::kMillisecond);
      if (cores == 1) break;
      if (threads > 1) registered->UseRealTime();
    }
    benchmark::RegisterBenchmark(("instructions/" + suffix).c_str(), kernel_alone, dtype, columns)
        ->Iterations(4);
  }
}

const bool kRegistered = [] {
  for (const tensor::Format& format : tensor::all_formats()) {
    if (find_layout(format.dtype) != nullptr) register_format(format.dtype);
  }
  return true;
}();

}  // namespace
}  // namespace cairn::backend::cpu
