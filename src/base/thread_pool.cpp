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
  generation_.fetch_add(1, std::memory_order_acq_rel);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(FunctionRef<void(int)> job) {
  if (worker_count_ == 1) return job(0);
  job_ = &job;
  unfinished_.store(static_cast<std::uint32_t>(worker_count_ - 1), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_acq_rel);
  generation_.notify_all();
  job(0);
  for (std::uint32_t left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    wait_for_change(unfinished_, left);
  }
}

void ThreadPool::work(int worker) {
  std::uint32_t seen = 0;
  while (true) {
    wait_for_change(generation_, seen);
    ++seen;
    if (stopping_.load(std::memory_order_acquire)) return;
    (*job_)(worker);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
  }
}

void ThreadPool::barrier() {
  if (worker_count_ == 1) return;
  const std::uint32_t generation = barrier_generation_.load(std::memory_order_acquire);
  const std::uint32_t arrived = barrier_arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (arrived == static_cast<std::uint32_t>(worker_count_)) {
    barrier_arrived_.store(0, std::memory_order_relaxed);
    barrier_generation_.fetch_add(1, std::memory_order_acq_rel);
    barrier_generation_.notify_all();
  } else {
    wait_for_change(barrier_generation_, generation);
  }
}

Range share_of(std::int64_t count, int worker, int worker_count, std::int64_t grain) {
  const std::int64_t units = (count + grain - 1) / grain;
  const std::int64_t begin = units * worker / worker_count * grain;
  const std::int64_t end = units * (worker + 1) / worker_count * grain;
  return {std::min(begin, count), std::min(end, count)};
}

}  // namespace cairn::base
