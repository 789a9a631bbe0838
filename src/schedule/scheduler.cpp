// Requests and queues; what a step brought. How a step is planned: scheduler_plan.cpp.

#include "schedule/scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "schedule/policies/admission.h"
#include "schedule/publish.h"

namespace cairn::schedule {
namespace {

bool contains(const std::vector<TokenId>& tokens, TokenId token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

bool ends_sequence(const Sequence& sequence, TokenId token) {
  const Request& request = *sequence.request;
  if (sequence.generated_count() <= request.min_tokens) return false;
  if (contains(request.stop_tokens, token)) return true;
  return !request.sampling.ignore_eos && contains(request.end_tokens, token);
}

void require_consistent(const SchedulerOptions& options) {
  if (options.max_sequences < 1 || options.max_waiting < 1) {
    fail(ErrorKind::invalid_argument, "max_sequences {} and max_waiting {} must be at least 1",
         options.max_sequences, options.max_waiting);
  }
  if (options.max_batch_tokens < options.max_sequences ||
      options.max_logit_rows < options.max_sequences) {
    fail(ErrorKind::invalid_argument,
         "max_batch_tokens {} and max_logit_rows {} must be at least max_sequences {}, so that "
         "every running sequence gets a row in each step",
         options.max_batch_tokens, options.max_logit_rows, options.max_sequences);
  }
  if (options.max_bypass < 0 || !(options.ageing_seconds >= 0) ||
      !(options.target_itl_seconds >= 0)) {
    fail(ErrorKind::invalid_argument,
         "max_bypass {}, ageing_seconds {} and target_itl_seconds {} must not be negative",
         options.max_bypass, options.ageing_seconds, options.target_itl_seconds);
  }
}

void prepare_beams(LiveRequest& live) {
  const Sequence& first = live.sequences.front();
  live.search =
      std::make_unique<BeamSearch>(live.request, first.length_limit - first.prompt_count());
  live.parent_tokens.resize(live.sequences.size());
  for (std::vector<TokenId>& tokens : live.parent_tokens) {
    tokens.reserve(static_cast<std::size_t>(first.length_limit));
  }
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, cache::PagedCache& cache,
                     const StepPrice& price)
    : options_(options),
      cache_(cache),
      price_(price),
      order_(make_order(options)),
      waiting_(*order_, cache, options.max_waiting + options.max_sequences),
      forecast_(options.max_sequences) {
  require_consistent(options_);
  for (const cache::PageGroup& group : cache.groups()) {
    has_windows_ |= group.state.window_tokens > 0;
  }
  const auto running = static_cast<std::size_t>(options_.max_sequences);
  requests_.reserve(static_cast<std::size_t>(waiting_.capacity()));
  running_.reserve(running);
  prompts_.reserve(running);
}

std::unique_ptr<LiveRequest> Scheduler::prepare(Request request) const {
  require_admissible(request, options_, cache_);
  auto live = std::make_unique<LiveRequest>();
  live->request = std::move(request);
  const bool has_beams = live->request.beam_search.has_value();
  const std::int32_t count = sequence_count(live->request);
  live->unfinished = has_beams ? 1 : count;
  live->sequences.resize(static_cast<std::size_t>(count));
  for (std::size_t choice = 0; choice < live->sequences.size(); ++choice) {
    Sequence& sequence = live->sequences[choice];
    sequence.live = live.get();
    sequence.request = &live->request;
    sequence.choice = static_cast<std::int32_t>(choice);
    sequence.length_limit = length_limit(live->request, options_);
    sequence.tokens.reserve(static_cast<std::size_t>(sequence.length_limit));
    sequence.tokens = live->request.prompt;
  }
  if (has_beams) prepare_beams(*live);
  return live;
}

void Scheduler::accept(std::unique_ptr<LiveRequest> live, base::TimePoint now) {
  for (Sequence& sequence : live->sequences) {
    sequence.arrival_number = arrivals_++;
    sequence.id = SequenceId(sequence.arrival_number);
    sequence.arrival = now;
    sequence.rank = order_->rank(sequence);
    waiting_.add(sequence);
  }
  requests_.push_back(std::move(live));
}

bool Scheduler::cancel(RequestId id) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const auto& live) { return live->request.id == id; });
  if (found == requests_.end()) return false;
  for (Sequence& sequence : (*found)->sequences) finish(sequence, FinishReason::cancelled);
  reap();
  return true;
}

void Scheduler::cancel_all() {
  for (const auto& live : requests_) {
    for (Sequence& sequence : live->sequences) finish(sequence, FinishReason::cancelled);
  }
  reap();
}

void Scheduler::expire(base::TimePoint now) {
  for (const auto& live : requests_) {
    if (!live->request.deadline || now < *live->request.deadline) continue;
    for (Sequence& sequence : live->sequences) finish(sequence, FinishReason::deadline);
  }
  reap();
}

void Scheduler::commit(const StepPlan& plan, const StepResult& result) {
  CHECK(result.sequences.size() == plan.sequences.size(), "{} results for {} sequences",
        result.sequences.size(), plan.sequences.size());
  for (std::size_t index = 0; index < plan.sequences.size(); ++index) {
    const SequenceStep& step = plan.sequences[index];
    commit_sequence(writable(*step.sequence), step, result.sequences[index], result);
  }
  for (const SequenceStep& step : plan.sequences) advance_search(*step.sequence->live);
  reap();
}

void Scheduler::commit_sequence(Sequence& sequence, const SequenceStep& step,
                                const SequenceResult& outcome, const StepResult& result) {
  const std::int32_t before = sequence.reached_count;
  sequence.computed_count = step.end_position();
  sequence.reached_count = std::max(before, sequence.computed_count);
  statistics_.computed_tokens += step.token_count;
  statistics_.recomputed_tokens +=
      std::max(0, std::min(before, step.end_position()) - step.first_position);
  cache_.advance(sequence.table, sequence.tokens, sequence.computed_count);
  if (sequence.computed_count == sequence.prompt_count()) fork_siblings(sequence);
  publish_logits(step, outcome, result);
  const auto scores = std::span(result.scores)
                          .subspan(static_cast<std::size_t>(outcome.first_score),
                                   static_cast<std::size_t>(outcome.score_count));
  for (const TokenScore& score : scores) {
    if (score.position < sequence.token_count()) {
      publish_token(sequence, score, -1, false, result);
      continue;
    }
    CHECK(step.samples, "sequence {}: a token that nobody asked for", sequence.id.value);
    if (sequence.live->search != nullptr) {
      offer(sequence, score, result);
      continue;
    }
    append_token(sequence, score, result);
    if (sequence.state == SequenceState::finished) return;
  }
  if (sequence.computed_count == sequence.length_limit) finish(sequence, FinishReason::length);
}

void Scheduler::append_token(Sequence& sequence, const TokenScore& score,
                             const StepResult& result) {
  CHECK(score.position == sequence.token_count(), "sequence {}: token {} of {}", sequence.id.value,
        score.position, sequence.token_count());
  sequence.tokens.push_back(score.token);
  ++statistics_.generated_tokens;
  const bool ends = ends_sequence(sequence, score.token);
  const Next next = publish_token(sequence, score, sequence.generated_count() - 1, ends, result);
  if (ends || next == Next::stop) {
    finish(sequence, FinishReason::stop);
  } else if (sequence.token_count() == sequence.length_limit) {
    finish(sequence, FinishReason::length);
  }
}

void Scheduler::finish(Sequence& sequence, FinishReason reason) {
  if (sequence.state == SequenceState::finished) return;
  if (sequence.live->search != nullptr) return finish_search(*sequence.live, reason);
  if (sequence.state == SequenceState::running) {
    cache_.close(sequence.table, sequence.tokens, true);
    std::erase(running_, &sequence);
  } else {
    waiting_.remove(sequence);
  }
  sequence.state = SequenceState::finished;
  sequence.finish_reason = reason;
  --sequence.live->unfinished;
  publish_finished(sequence);
}

void Scheduler::reap() {
  std::erase_if(requests_, [](const auto& live) { return live->unfinished == 0; });
}

Sequence& Scheduler::writable(const Sequence& sequence) {
  // A plan shows sequences to executors read-only; all of them stand in requests_, which is ours.
  return const_cast<Sequence&>(sequence);
}

void Scheduler::recover() {
  ++statistics_.faults;
  cache_.reset();
  while (!running_.empty()) put_back(*running_.back());
}

std::string Scheduler::check_integrity() const {
  for (const Sequence* const sequence : running_) {
    const std::int32_t in_cache = cache_.computed_count(sequence->table);
    if (sequence->state != SequenceState::running || sequence->computed_count != in_cache ||
        sequence->computed_count > sequence->planned_count ||
        sequence->planned_count > sequence->token_count()) {
      return fmt::format("sequence {}: {} positions computed, {} in the cache, {} planned of {}",
                         sequence->id.value, sequence->computed_count, in_cache,
                         sequence->planned_count, sequence->token_count());
    }
  }
  if (cache_.open_count() != running_count()) {
    return fmt::format("{} sequences run, {} have pages", running_count(), cache_.open_count());
  }
  return cache_.check_integrity();
}

}  // namespace cairn::schedule
