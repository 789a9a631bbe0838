#pragma once
// Where the time of a session's steps goes: each kind of op by a decorator around the backend, what
// lies between them by the executor's times, serial and idle time by a meter of the threads. Lives
// as long as the session that it is given to (SessionHooks::backend); used by the thread that steps
// it.

#include <cstdint>
#include <string>
#include <vector>

#include "backend/trace/trace_backend.h"
#include "base/context.h"
#include "engine/session.h"

namespace cairn::cli {

class StepProfile {
 public:
  /// Both must outlive this; the context's threads have the meter until it ends.
  StepProfile(Context& context, backend::Backend& inner);
  ~StepProfile();
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  backend::Backend& backend() { return trace_; }

  /// Called after each step. Those that do not count leave no trace.
  void add(const engine::StepStatistics& statistics, const engine::StepTimes& times);
  void discard();

  struct Part {
    std::string name;
    std::int64_t calls = 0;
    double seconds = 0;
    base::WorkTimes work;
    /// What only one thread worked at.
    double serial_seconds() const { return seconds - work.run_seconds; }
    /// Of all threads together, in which they waited.
    double idle_seconds(int threads) const {
      return serial_seconds() * (threads - 1) + work.run_seconds * threads - work.busy_seconds;
    }
  };
  /// Of all counted steps: the ops by backend::OpKind, then what lies between them.
  std::vector<Part> parts() const;
  Part whole() const;
  std::int64_t steps() const { return steps_; }
  int threads() const { return context_.threads.worker_count(); }

 private:
  enum Between { schedule, rows, model, draw, between_count };

  Context& context_;
  base::WorkMeter meter_;
  backend::TraceBackend trace_;
  base::WorkTimes seen_;  // by the meter, before the step that is timed
  std::int64_t steps_ = 0;
  std::array<Part, backend::kOpKindCount> ops_;
  std::array<Part, between_count> between_;
};

}  // namespace cairn::cli
