#pragma once
// Owns what a Context refers to, for the length of a command.

#include "base/clock.h"
#include "base/context.h"
#include "base/log.h"
#include "base/thread_pool.h"

namespace cairn::cli {

class Session {
 public:
  /// thread_count 0: every core this process may use.
  explicit Session(int thread_count = 0)
      : threads_(thread_count > 0 ? thread_count : base::usable_core_count()),
        context_{threads_, clock_, log_} {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Context& context() { return context_; }
  base::ThreadPool& threads() { return threads_; }

 private:
  base::ThreadPool threads_;
  base::SystemClock clock_;
  base::Log log_;
  Context context_;
};

}  // namespace cairn::cli
