// Decode attention at a long context: one row of one layer on one thread, by KV type and by query
// heads that share a KV head. Bytes are those of the keys and values that are read.
//
//   backend_bench --benchmark_filter=attention

#include <benchmark/benchmark.h>

#include <string>

#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

constexpr std::int32_t kHeadDim = 64;
constexpr std::int32_t kKvHeads = 3;
constexpr std::int32_t kPageTokens = 16;

void decode_attention(benchmark::State& state, DType type, std::int32_t group,
                      std::int32_t context) {
  base::ThreadPool threads(1);
  base::SystemClock clock;
  base::Log log;
  Context context_of_backend{threads, clock, log};
  const auto backend = make_cpu_backend(context_of_backend);
  KvLayer kv{nullptr, nullptr, type, type, kKvHeads, kHeadDim, kHeadDim, kPageTokens};
  const std::int32_t page_count = context / kPageTokens;
  const Buffer keys =
      backend->allocate(static_cast<std::size_t>(page_count * kv.key_side().page_bytes()));
  const Buffer values =
      backend->allocate(static_cast<std::size_t>(page_count * kv.value_side().page_bytes()));
  kv.keys = keys.data();
  kv.values = values.data();
  std::vector<PageId> pages;
  pages.reserve(static_cast<std::size_t>(page_count));
  for (std::int32_t page = 0; page < page_count; ++page) pages.emplace_back(page);
  const KeyList list{pages.data(), 0, context};
  const std::int64_t slot = context - 1;
  Matrix query(1, std::int64_t{kKvHeads} * group * kHeadDim);
  Matrix key(1, std::int64_t{kKvHeads} * kHeadDim);
  Matrix output(1, std::int64_t{kKvHeads} * group * kHeadDim);
  Draws draws(3);
  query.fill(draws);
  key.fill(draws);
  for (auto _ : state) {
    backend->attention({.query = query.tensor(),
                        .key = key.tensor(),
                        .value = key.tensor(),
                        .output = output.tensor(),
                        .heads = kKvHeads * group,
                        .query_norm = {},
                        .key_norm = {},
                        .rope_table = {},
                        .scale = 0.125F,
                        .kv = &kv,
                        .keys = {&list, 1},
                        .write_slots = {&slot, 1}});
    benchmark::ClobberMemory();
  }
  const auto bytes =
      static_cast<double>(page_count * (kv.key_side().page_bytes() + kv.value_side().page_bytes()));
  state.counters["GB/s"] = {1e-9 * static_cast<double>(state.iterations()) * bytes,
                            benchmark::Counter::kIsRate};
}

const bool kRegistered = [] {
  for (const DType type : {DType::f16, DType::q8_0, DType::q4_0}) {
    for (const std::int32_t group : {1, 3, 7}) {
      for (const std::int32_t context : {4096, 65536}) {
        const std::string name = "attention/" + std::string(tensor::format_of(type).name) + "/" +
                                 std::to_string(group) + "/" + std::to_string(context);
        benchmark::RegisterBenchmark(name.c_str(), decode_attention, type, group, context)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace cairn::backend::cpu
