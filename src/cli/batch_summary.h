#pragma once
// What a batch cost, in a few lines.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "cli/batch_answer.h"
#include "engine/step_observer.h"
#include "schedule/scheduler_statistics.h"

namespace cairn::cli {

/// Rows of the steps, and the time since the first one began.
class StepCounter final : public engine::StepObserver {
 public:
  void on_step(const engine::StepStatistics& statistics) override;
  std::int64_t steps() const { return steps_; }
  std::int32_t median_rows() const;
  double seconds() const { return seconds_between(first_, last_); }

 private:
  std::map<std::int32_t, std::int64_t> steps_by_rows_;
  std::int64_t steps_ = 0;
  base::TimePoint first_;
  base::TimePoint last_;
};

std::string batch_summary(const BatchTotals& totals, const StepCounter& steps,
                          const schedule::SchedulerStatistics& statistics);

}  // namespace cairn::cli
