#include "schedule/policies/chunking.h"

#include <algorithm>

namespace cairn::schedule {
namespace {

/// What prompts get however long the step becomes: a few rows cost little more than one.
constexpr std::int32_t kLeastRows = 4;

}  // namespace

SequenceStep next_chunk(const Sequence& sequence, const StepBudget& budget,
                        const SchedulerOptions& options) {
  SequenceStep step;
  step.sequence = &sequence;
  step.first_position = sequence.planned_count;

  std::int32_t count = std::min(sequence.pending_count(), budget.rows);
  if (options.prefill_chunk > 0) count = std::min(count, options.prefill_chunk);

  // Logits are wanted from some position on, and of the last token if the next one is drawn.
  const std::int32_t last = sequence.token_count() - 1;
  const std::int32_t drawn = sequence.samples() ? last : last + 1;
  const std::int32_t wanted =
      std::max(step.first_position, std::min(sequence.logits_from(), drawn));
  const std::int64_t most = std::int64_t{wanted} - step.first_position + budget.logit_rows;
  count = static_cast<std::int32_t>(std::min<std::int64_t>(count, most));

  step.token_count = count;
  step.logits_from = std::min(wanted, step.end_position());
  step.samples = sequence.samples() && step.end_position() == last + 1;
  return step;
}

std::int32_t affordable_rows(StepPlan& plan, const Sequence& prompt, std::int32_t rows,
                             const StepPrice& price, const SchedulerOptions& options) {
  const auto fits = [&](std::int32_t count) {
    SequenceStep step;
    step.sequence = &prompt;
    step.first_position = prompt.planned_count;
    step.token_count = count;
    step.logits_from = step.end_position();
    plan.sequences.push_back(step);
    plan.row_count += count;
    const std::optional<double> seconds = price.seconds(plan);
    plan.row_count -= count;
    plan.sequences.pop_back();
    return !seconds || *seconds <= options.target_itl_seconds;
  };
  if (fits(rows)) return rows;
  std::int32_t most = std::min(kLeastRows, rows);  // taken for granted
  std::int32_t too_many = rows;
  while (most + 1 < too_many) {
    const std::int32_t middle = most + (too_many - most) / 2;
    (fits(middle) ? most : too_many) = middle;
  }
  return most;
}

}  // namespace cairn::schedule
