#pragma once
// Tells a request's observer what a step brought. Requests without an observer are fine.

#include "schedule/step.h"

namespace cairn::schedule {

/// A token that was drawn or, with index -1, given and scored.
Next publish_token(const Sequence& sequence, const TokenScore& score, std::int32_t index, bool ends,
                   const StepResult& result);

/// The rows of the step that Request::logits_from asks for.
void publish_logits(const SequenceStep& step, const SequenceResult& outcome,
                    const StepResult& result);

void publish_finished(const Sequence& sequence);

/// The best beams as choices: their tokens, where the search came to its end (`stop`), then each
/// one's finish. Returns the tokens of all.
std::int32_t publish_beams(const LiveRequest& live, FinishReason reason);

}  // namespace cairn::schedule
