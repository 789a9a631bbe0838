// Products per format and number of columns, on all usable cores. Bytes are the file's, operations
// two per multiply-add:
//
//   backend_bench --benchmark_filter=q4_1

#include <benchmark/benchmark.h>

#include "backend/cpu/layouts.h"
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

void product(benchmark::State& state, DType dtype, std::int64_t columns) {
  base::ThreadPool threads(base::usable_core_count());
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

const bool kRegistered = [] {
  for (const tensor::Format& format : tensor::all_formats()) {
    if (find_layout(format.dtype) == nullptr) continue;
    for (const std::int64_t columns : {1, 2, 4, 8, 32, 256}) {
      const std::string name =
          "product/" + std::string(format.name) + "/" + std::to_string(columns);
      benchmark::RegisterBenchmark(name.c_str(), product, format.dtype, columns)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace cairn::backend::cpu
