#pragma once
// Chunking: how many pending tokens of a sequence go into this step.

#include <cstdint>

#include "schedule/scheduler_options.h"
#include "schedule/sequence.h"
#include "schedule/step.h"
#include "schedule/step_price.h"

namespace cairn::schedule {

/// What is left of a step.
struct StepBudget {
  std::int32_t rows = 0;
  std::int32_t logit_rows = 0;
};

/// The next rows of a sequence: as many pending tokens as the budget and prefill_chunk allow;
/// token_count 0 if none.
SequenceStep next_chunk(const Sequence& sequence, const StepBudget& budget,
                        const SchedulerOptions& options);

/// Rows that prompts may have beside the decodes of `plan`, so that the step takes no longer than
/// options.target_itl_seconds by `price`: at most `rows`, and never so few that prompts stand
/// still. `prompt` is the one that gets most of them. `plan` is as before afterwards.
std::int32_t affordable_rows(StepPlan& plan, const Sequence& prompt, std::int32_t rows,
                             const StepPrice& price, const SchedulerOptions& options);

}  // namespace cairn::schedule
