#pragma once
// Where the workers' time goes, added up while a ThreadPool has it (ThreadPool::set_meter). Read by
// the thread that calls run().

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace cairn::base {

struct WorkTimes {
  double run_seconds = 0;   // of the clock, in which units were open to all workers
  double busy_seconds = 0;  // in units, all workers together
};

class WorkMeter {
 public:
  /// `clock` must outlive this.
  WorkMeter(const Clock& clock, int worker_count)
      : clock_(clock), workers_(static_cast<std::size_t>(worker_count)) {}

  /// Since construction.
  WorkTimes total() const {
    WorkTimes times{.run_seconds = static_cast<double>(run_nanoseconds_) * 1e-9};
    for (const Worker& worker : workers_) {
      times.busy_seconds += static_cast<double>(worker.busy_nanoseconds) * 1e-9;
    }
    return times;
  }

 private:
  friend class ThreadPool;
  struct alignas(64) Worker {  // each writes its own cache line
    std::int64_t busy_nanoseconds = 0;
  };

  const Clock& clock_;
  std::vector<Worker> workers_;
  std::int64_t run_nanoseconds_ = 0;
};

}  // namespace cairn::base
