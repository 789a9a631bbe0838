#include "cli/batch_summary.h"

#include <fmt/format.h>

#include "cli/units.h"

namespace cairn::cli {

void StepCounter::on_step(const engine::StepStatistics& statistics) {
  if (statistics.rows == 0) return;
  if (steps_ == 0) first_ = statistics.started;
  last_ = statistics.ended;
  ++steps_;
  ++steps_by_rows_[statistics.rows];
}

std::int32_t StepCounter::median_rows() const {
  std::int64_t reached = 0;
  for (const auto& [rows, count] : steps_by_rows_) {
    reached += count;
    if (2 * reached >= steps_) return rows;
  }
  return 0;
}

std::string batch_summary(const BatchTotals& totals, const StepCounter& steps,
                          const schedule::SchedulerStatistics& statistics) {
  const double seconds = std::max(steps.seconds(), 1e-9);
  const auto milliseconds = [](const LatencyHistogram& times, double share) {
    return seconds_text(times.percentile(share));
  };
  return fmt::format(
      "{} requests in {}: {} prompt tokens ({} from the cache), {} generated, {:.1f} tokens/s\n"
      "first token: median {}, 99 % within {}; between tokens: median {}, 99 % within {}\n"
      "{} steps, median {} rows; {} preemptions, {} tokens recomputed; peak {} pages",
      totals.requests, seconds_text(steps.seconds()), totals.prompt_tokens, totals.cached_tokens,
      totals.generated_tokens, static_cast<double>(totals.generated_tokens) / seconds,
      milliseconds(totals.first_token, 0.5), milliseconds(totals.first_token, 0.99),
      milliseconds(totals.inter_token, 0.5), milliseconds(totals.inter_token, 0.99), steps.steps(),
      steps.median_rows(), statistics.preemptions, statistics.recomputed_tokens,
      statistics.peak_pages);
}

}  // namespace cairn::cli
