#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/thread_pool.h"
#include "perf/cpu.h"
#include "perf/machine.h"
#include "perf/probe.h"
#include "tensor/tensor.h"

namespace cairn::perf {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

// Larger than what the last cache can keep of it between two passes, and small enough that filling
// it does not dominate a short probe.
std::int64_t probe_bytes() {
  const std::int64_t cache = last_level_cache_bytes();
  return std::clamp<std::int64_t>(4 * cache, 128 * kMebibyte, 512 * kMebibyte);
}

// Four sums side by side, so that loads and not the latency of an addition set the pace; vectorized
// by the compiler.
std::uint64_t sum_of(const std::uint64_t* values, std::int64_t count) {
  std::uint64_t sums[4] = {};
  for (std::int64_t i = 0; i + 32 <= count; i += 32) {
    for (std::int64_t k = 0; k < 32; ++k) sums[k % 4] += values[i + k];
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

// Reads `memory` once with the first `readers` workers and returns the seconds it took.
double read_once(Context& context, const Buffer& memory, int readers,
                 std::atomic<std::uint64_t>& sink) {
  const auto* values = reinterpret_cast<const std::uint64_t*>(memory.data());
  const auto count = static_cast<std::int64_t>(memory.size_bytes() / sizeof(std::uint64_t));
  const base::TimePoint start = context.clock.now();
  context.threads.run_on_each([&](int worker) {
    if (worker >= readers) return;
    const base::Range part = base::share_of(count, worker, readers, 512);
    sink += sum_of(values + part.begin, part.end - part.begin);
  });
  return base::seconds_between(start, context.clock.now());
}

}  // namespace

BandwidthProbe::BandwidthProbe(Context& context)
    : context_(context), memory_(static_cast<std::size_t>(probe_bytes())) {
  // Pages are touched by the workers that will read them.
  context.threads.run_on_each([&](int worker) {
    const auto part = base::share_of(static_cast<std::int64_t>(memory_.size_bytes()), worker,
                                     context_.threads.worker_count(), 4096);
    std::memset(memory_.data() + part.begin, 1, static_cast<std::size_t>(part.end - part.begin));
  });
}

double BandwidthProbe::best_bytes_per_second(int readers, double seconds_limit) {
  std::atomic<std::uint64_t> sink{0};
  double fastest = read_once(context_, memory_, readers, sink);
  for (double spent = fastest; spent + fastest < seconds_limit;) {
    const double seconds = read_once(context_, memory_, readers, sink);
    spent += seconds;
    fastest = std::min(fastest, seconds);
  }
  keep(static_cast<double>(sink.load()));
  return static_cast<double>(memory_.size_bytes()) / fastest;
}

double measure_read_bandwidth(Context& context, double seconds_limit) {
  BandwidthProbe probe(context);
  const double all = probe.best_bytes_per_second(context.threads.worker_count(), seconds_limit / 2);
  return std::max(all, probe.best_bytes_per_second(1, seconds_limit / 2));
}

}  // namespace cairn::perf
