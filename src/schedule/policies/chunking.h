#pragma once
// Chunking: how many pending tokens of a sequence go into this step.

#include <cstdint>

#include "schedule/scheduler_options.h"
#include "schedule/sequence.h"
#include "schedule/step.h"

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

}  // namespace cairn::schedule
