// Decode attention at a long context: one row of one layer, by KV type, query heads that share a KV
// head, context and threads. Layers take turns, as in a step, so that keys and values come from
// memory. Bytes are those of the keys and values that are read.
//
//   backend_bench --benchmark_filter=attention

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

constexpr std::int32_t kHeadDim = 64;
constexpr std::int32_t kKvHeads = 3;
constexpr std::int32_t kPageTokens = 16;
/// What the layers hold together: more than a last-level cache.
constexpr std::int64_t kAllBytes = std::int64_t{192} << 20;

struct Case {
  DType type;
  std::int32_t group;
  std::int32_t context;
  std::int32_t rows;
  int threads;
};

/// The pages of some layers, full of small values.
class Layers {
 public:
  Layers(Backend& backend, const Case& test) {
    KvLayer kv{nullptr, nullptr, test.type, test.type, kKvHeads, kHeadDim, kHeadDim, kPageTokens};
    const std::int64_t page_count = test.context / kPageTokens;
    kv.page_count = page_count;
    const std::int64_t key_bytes = page_count * kv.key_side().page_bytes();
    const std::int64_t value_bytes = page_count * kv.value_side().page_bytes();
    bytes_per_layer_ = key_bytes + value_bytes;
    const std::int64_t count = std::max<std::int64_t>(1, kAllBytes / bytes_per_layer_);
    memory_ = backend.allocate(static_cast<std::size_t>(count * bytes_per_layer_));
    // Untouched memory is one page of zeros, which a cache holds. 0x11.. is finite in every type.
    std::memset(memory_.data(), 0x11, memory_.size_bytes());
    for (std::int64_t i = 0; i < count; ++i) {
      kv.keys = memory_.data() + i * bytes_per_layer_;
      kv.values = kv.keys + key_bytes;
      layers_.push_back(kv);
    }
    for (std::int32_t page = 0; page < page_count; ++page) pages_.emplace_back(page);
  }
  const KvLayer& next() { return layers_[next_++ % layers_.size()]; }
  const PageId* pages() const { return pages_.data(); }
  std::int64_t bytes_per_layer() const { return bytes_per_layer_; }

 private:
  Buffer memory_;
  std::vector<KvLayer> layers_;
  std::vector<PageId> pages_;
  std::int64_t bytes_per_layer_ = 0;
  std::size_t next_ = 0;
};

void attention_at_depth(benchmark::State& state, const Case& test) {
  base::ThreadPool threads(test.threads);
  base::SystemClock clock;
  base::Log log;
  Context context_of_backend{threads, clock, log};
  const auto backend = make_cpu_backend(context_of_backend);
  Layers layers(*backend, test);
  std::vector<KeyList> lists;
  std::vector<std::int64_t> slots;
  for (std::int32_t row = 0; row < test.rows; ++row) {
    const std::int32_t position = test.context - test.rows + row;
    lists.push_back({layers.pages(), 0, position + 1});
    slots.push_back(position);
  }
  Matrix query(test.rows, std::int64_t{kKvHeads} * test.group * kHeadDim);
  Matrix key(test.rows, std::int64_t{kKvHeads} * kHeadDim);
  Matrix output(test.rows, std::int64_t{kKvHeads} * test.group * kHeadDim);
  Draws draws(3);
  query.fill(draws);
  key.fill(draws);
  for (auto _ : state) {
    backend->attention({.query = query.tensor(),
                        .key = key.tensor(),
                        .value = key.tensor(),
                        .output = output.tensor(),
                        .heads = kKvHeads * test.group,
                        .query_norm = {},
                        .key_norm = {},
                        .rope_table = {},
                        .scale = 0.125F,
                        .kv = &layers.next(),
                        .keys = lists,
                        .write_slots = slots});
    benchmark::ClobberMemory();
  }
  const auto iterations = static_cast<double>(state.iterations());
  // Two multiply-adds for each query, key and dimension.
  const double flops = 4.0 * test.rows * kKvHeads * test.group * kHeadDim * test.context;
  state.counters["GB/s"] = {1e-9 * iterations * static_cast<double>(layers.bytes_per_layer()),
                            benchmark::Counter::kIsRate};
  state.counters["GFLOP/s"] = {1e-9 * iterations * flops, benchmark::Counter::kIsRate};
}

void add(const Case& test) {
  const std::string name = fmt::format("attention/{}/{}_heads/{}_keys/{}_rows/{}_threads",
                                       tensor::format_of(test.type).name, test.group, test.context,
                                       test.rows, test.threads);
  benchmark::RegisterBenchmark(name.c_str(), attention_at_depth, test)
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

const bool kRegistered = [] {
  for (const DType type : {DType::f16, DType::q8_0, DType::q4_0}) {
    for (const std::int32_t group : {1, 3, 4, 7}) {
      for (const int threads : {1, 2}) add({type, group, 4096, 1, threads});
    }
    for (const std::int32_t rows : {16, 256}) add({type, 3, 4096, rows, 2});
  }
  return true;
}();

}  // namespace
}  // namespace cairn::backend::cpu
