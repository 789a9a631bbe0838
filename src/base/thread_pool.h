#pragma once
// Work cut into units that n workers take as they come. The thread that calls run() is worker 0;
// the others wait, first spinning for a bounded time (a step hands out work every few
// microseconds), then asleep.
//
// A unit belongs to whoever comes first, so a worker whose core is taken by another process holds
// up no more than the unit it has begun.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/function_ref.h"
#include "base/work_meter.h"

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

  /// Calls unit(worker, u) once for each u in [0, unit_count), spread over the workers, and returns
  /// when all are done. What was written before run() is seen by all units, what they wrote by the
  /// caller. A worker has one unit at a time. Units must not throw. Not reentrant; one thread at a
  /// time may call it. A single unit is done by the caller, at the price of a call.
  void run(std::int64_t unit_count, FunctionRef<void(int worker, std::int64_t unit)> unit);

  /// Calls job(worker) once on every worker, all of them at the same time: to measure what they
  /// reach together.
  void run_on_each(FunctionRef<void(int worker)> job);

  /// Adds up times of run() from now on; null: no longer. Called between runs; the meter must have
  /// as many workers and stay until then.
  void set_meter(WorkMeter* meter) { meter_ = meter; }

 private:
  using Unit = FunctionRef<void(int, std::int64_t)>;

  void work(int worker);
  void spread(std::int64_t unit_count, Unit unit);
  void take_units(int worker);

  const int worker_count_;
  // What is handed out at the moment. A worker may read it once it has taken a unit, since it
  // changes only after all units are done.
  const Unit* unit_ = nullptr;
  std::int64_t unit_count_ = 0;
  // The run's number, and how many of its units nobody has taken yet (kLeftBits). A worker that
  // comes too late finds another number, and has disturbed nothing.
  alignas(64) std::atomic<std::uint64_t> open_{0};
  std::atomic<std::uint32_t> announced_{0};  // counts runs; workers wait for it to change
  alignas(64) std::atomic<std::uint32_t> undone_{0};
  std::atomic<bool> stopping_{false};
  WorkMeter* meter_ = nullptr;
  std::vector<std::thread> threads_;
};

/// Part `part` of [0, count) cut into `part_count`: contiguous, in multiples of `grain`, sizes
/// differing by at most one grain.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Range share_of(std::int64_t count, std::int64_t part, std::int64_t part_count,
               std::int64_t grain = 1);

}  // namespace cairn::base
