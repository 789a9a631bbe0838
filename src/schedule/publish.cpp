#include "schedule/publish.h"

#include <algorithm>

namespace cairn::schedule {

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::none:
      return "none";
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "cancelled";
    case FinishReason::deadline:
      return "deadline";
  }
  return "none";
}

Next publish_token(const Sequence& sequence, const TokenScore& score, std::int32_t index, bool ends,
                   const StepResult& result) {
  RequestObserver* const observer = sequence.request->observer;
  if (observer == nullptr) return Next::go_on;
  TokenEvent event;
  event.choice = sequence.choice;
  event.position = score.position;
  event.index = index;
  event.token = score.token;
  event.ends = ends;
  event.logprob = score.logprob;
  event.top = std::span(result.tops)
                  .subspan(static_cast<std::size_t>(score.first_top),
                           static_cast<std::size_t>(score.top_count));
  return observer->on_token(event);
}

void publish_logits(const SequenceStep& step, const SequenceResult& outcome,
                    const StepResult& result) {
  const Request& request = *step.sequence->request;
  if (request.observer == nullptr || result.logits.empty()) return;
  const auto vocabulary = static_cast<std::size_t>(result.vocabulary);
  const std::int32_t first = std::max(step.logits_from, request.logits_from);
  for (std::int32_t position = first; position < step.end_position(); ++position) {
    const std::int32_t row = outcome.first_logit_row + position - step.logits_from;
    request.observer->on_logits(
        step.sequence->choice, position,
        result.logits.subspan(static_cast<std::size_t>(row) * vocabulary, vocabulary));
  }
}

void publish_finished(const Sequence& sequence) {
  RequestObserver* const observer = sequence.request->observer;
  if (observer == nullptr) return;
  FinishedEvent event;
  event.choice = sequence.choice;
  event.reason = sequence.finish_reason;
  event.usage.prompt_tokens = sequence.prompt_count();
  event.usage.cached_tokens = sequence.cached_count;
  event.usage.generated_tokens = sequence.generated_count();
  event.last = sequence.live->unfinished == 0;
  observer->on_finished(event);
}

}  // namespace cairn::schedule
