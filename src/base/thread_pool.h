#pragma once
// One job split over n workers. The thread that calls run() is worker 0; the others wait, first
// spinning for a bounded time (a step hands out work every few microseconds), then asleep.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/function_ref.h"

namespace cairn::base {

/// Cores this process may use: the affinity mask, cut by the cgroup's CPU quota. At least 1.
int usable_core_count();

class ThreadPool {
 public:
  /// Starts worker_count - 1 threads. REQUIRES: worker_count >= 1.
  explicit ThreadPool(int worker_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int worker_count() const { return worker_count_; }

  /// Calls job(worker) once on each worker and returns when all are done. The job must not throw.
  /// Not reentrant; only one thread may call run() at a time.
  void run(FunctionRef<void(int worker)> job);

  /// Inside a job: every worker waits here until all have come. What was written before is seen by
  /// all after. All workers of the job must call it equally often.
  void barrier();

 private:
  void work(int worker);

  const int worker_count_;
  const FunctionRef<void(int)>* job_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> barrier_arrived_{0};
  alignas(64) std::atomic<std::uint32_t> barrier_generation_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

/// The part of [0, count) that falls to `worker`: contiguous, in units of `grain`, sizes differing
/// by at most one unit.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Range share_of(std::int64_t count, int worker, int worker_count, std::int64_t grain = 1);

}  // namespace cairn::base
