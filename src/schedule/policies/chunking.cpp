#include "schedule/policies/chunking.h"

#include <algorithm>

namespace cairn::schedule {

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

}  // namespace cairn::schedule
