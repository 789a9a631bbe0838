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

namespace {

/// The tokens of one beam until the observer wants no more; sets how it ended.
std::int32_t publish_beam(const BeamSearch::Hypothesis& beam, const Sequence& first,
                          FinishedEvent& finished) {
  RequestObserver* const observer = first.request->observer;
  finished.reason = beam.ends ? FinishReason::stop : FinishReason::length;
  std::int32_t count = 0;
  for (const TokenId token : beam.tokens) {
    TokenEvent event;
    event.choice = finished.choice;
    event.index = count++;
    event.position = first.prompt_count() + event.index;
    event.token = token;
    event.ends = beam.ends && count == static_cast<std::int32_t>(beam.tokens.size());
    if (observer == nullptr || observer->on_token(event) == Next::go_on) continue;
    finished.reason = FinishReason::stop;
    break;
  }
  return count;
}

}  // namespace

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

std::int32_t publish_beams(const LiveRequest& live, FinishReason reason) {
  RequestObserver* const observer = live.request.observer;
  const std::span<const BeamSearch::Hypothesis> found = live.search->finished();
  const Sequence& first = live.sequences.front();
  std::int32_t token_count = 0;
  for (std::int32_t choice = 0; choice < live.request.choice_count; ++choice) {
    FinishedEvent event;
    event.choice = choice;
    event.reason = reason;
    event.usage.prompt_tokens = first.prompt_count();
    event.usage.cached_tokens = first.cached_count;
    event.last = choice + 1 == live.request.choice_count;
    const auto rank = static_cast<std::size_t>(choice);
    if (reason == FinishReason::stop && rank < found.size()) {
      event.beam_score = found[rank].score;
      event.usage.generated_tokens = publish_beam(found[rank], first, event);
      token_count += event.usage.generated_tokens;
    }
    if (observer != nullptr) observer->on_finished(event);
  }
  return token_count;
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
