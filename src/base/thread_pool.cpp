#include "base/thread_pool.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "base/check.h"

namespace cairn::base {
namespace {

// About 20 microseconds on a 3 GHz core: longer than the gap between two ops of a step, short
// enough that a core lost to another process is given back soon.
constexpr int kSpinsBeforeSleep = 2000;

constexpr int kLeftBits = 24;
constexpr std::uint64_t kLeftMask = (std::uint64_t{1} << kLeftBits) - 1;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

// Returns once `value` differs from `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpinsBeforeSleep; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

int affinity_core_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// The cgroup's CPU quota in cores, or a huge number where there is none.
double cgroup_quota_cores() {
  constexpr double kNoQuota = 1e9;
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string quota_text;
  double period = 0;
  if (v2 >> quota_text >> period) {
    if (quota_text == "max" || period <= 0) return kNoQuota;
    return std::strtod(quota_text.c_str(), nullptr) / period;
  }
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double quota = 0;
  if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0) return quota / period;
  return kNoQuota;
}

}  // namespace

int usable_core_count() {
  const double quota = std::max(1.0, std::floor(cgroup_quota_cores()));
  return static_cast<int>(std::min<double>(std::max(1, affinity_core_count()), quota));
}

ThreadPool::ThreadPool(int worker_count) : worker_count_(worker_count) {
  CHECK(worker_count >= 1, "worker_count={}", worker_count);
  threads_.reserve(static_cast<std::size_t>(worker_count - 1));
  for (int worker = 1; worker < worker_count; ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  stopping_.store(true, std::memory_order_release);
  announced_.fetch_add(1, std::memory_order_acq_rel);
  announced_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::int64_t unit_count, Unit unit) {
  CHECK(unit_count >= 0 && unit_count <= std::int64_t{kLeftMask}, "unit_count={}", unit_count);
  if (worker_count_ == 1 || unit_count <= 1) {
    for (std::int64_t u = 0; u < unit_count; ++u) unit(0, u);
    return;
  }
  if (meter_ == nullptr) return spread(unit_count, unit);
  const auto nanoseconds_of = [&](auto work) {
    const TimePoint begin = meter_->clock_.now();
    work();
    return meter_->clock_.now().nanoseconds - begin.nanoseconds;
  };
  const auto timed = [&](int worker, std::int64_t u) {
    meter_->workers_[static_cast<std::size_t>(worker)].busy_nanoseconds +=
        nanoseconds_of([&] { unit(worker, u); });
  };
  meter_->run_nanoseconds_ += nanoseconds_of([&] { spread(unit_count, timed); });
}

void ThreadPool::spread(std::int64_t unit_count, Unit unit) {
  unit_ = &unit;
  unit_count_ = unit_count;
  undone_.store(static_cast<std::uint32_t>(unit_count), std::memory_order_relaxed);
  const std::uint64_t number = (open_.load(std::memory_order_relaxed) >> kLeftBits) + 1;
  open_.store(number << kLeftBits | static_cast<std::uint64_t>(unit_count),
              std::memory_order_release);
  announced_.fetch_add(1, std::memory_order_release);
  announced_.notify_all();
  take_units(0);
  for (std::uint32_t left = undone_.load(std::memory_order_acquire); left != 0;
       left = undone_.load(std::memory_order_acquire)) {
    wait_for_change(undone_, left);
  }
}

void ThreadPool::take_units(int worker) {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  while ((open & kLeftMask) != 0) {
    if (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      continue;
    }
    (*unit_)(worker, unit_count_ - static_cast<std::int64_t>(open & kLeftMask));
    if (undone_.fetch_sub(1, std::memory_order_acq_rel) == 1) undone_.notify_all();
    open = open_.load(std::memory_order_acquire);
  }
}

void ThreadPool::work(int worker) {
  while (true) {
    const std::uint32_t seen = announced_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_acquire)) return;
    take_units(worker);
    wait_for_change(announced_, seen);
  }
}

void ThreadPool::run_on_each(FunctionRef<void(int)> job) {
  std::atomic<int> here{0};
  run(worker_count_, [&](int worker, std::int64_t) {
    // Nobody goes on, or takes a second unit, before everybody is here.
    here.fetch_add(1);
    while (here.load() != worker_count_) std::this_thread::yield();
    job(worker);
  });
}

Range share_of(std::int64_t count, std::int64_t part, std::int64_t part_count, std::int64_t grain) {
  const std::int64_t units = (count + grain - 1) / grain;
  const std::int64_t begin = units * part / part_count * grain;
  const std::int64_t end = units * (part + 1) / part_count * grain;
  return {std::min(begin, count), std::min(end, count)};
}

}  // namespace cairn::base
