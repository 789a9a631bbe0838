#include "schedule/scheduler.h"

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
         "every "
         "running sequence gets a row in each step",
         options.max_batch_tokens, options.max_logit_rows, options.max_sequences);
  }
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, cache::CacheManager& cache)
    : options_(options), cache_(cache), order_(make_order(options.order)) {
  require_consistent(options_);
  const auto waiting = static_cast<std::size_t>(options_.max_waiting);
  const auto running = static_cast<std::size_t>(options_.max_sequences);
  requests_.reserve(waiting + running);
  waiting_.reserve(waiting);
  running_.reserve(running);
}

std::unique_ptr<LiveRequest> Scheduler::prepare(Request request) const {
  require_admissible(request, options_, cache_);
  auto live = std::make_unique<LiveRequest>();
  live->request = std::move(request);
  live->unfinished = live->request.choice_count;
  live->sequences.resize(static_cast<std::size_t>(live->request.choice_count));
  for (std::size_t choice = 0; choice < live->sequences.size(); ++choice) {
    Sequence& sequence = live->sequences[choice];
    sequence.live = live.get();
    sequence.request = &live->request;
    sequence.choice = static_cast<std::int32_t>(choice);
    sequence.length_limit = length_limit(live->request, options_);
    sequence.tokens.reserve(static_cast<std::size_t>(sequence.length_limit));
    sequence.tokens = live->request.prompt;
  }
  return live;
}

void Scheduler::accept(std::unique_ptr<LiveRequest> live, base::TimePoint now) {
  CHECK(waiting_.size() + live->sequences.size() <= static_cast<std::size_t>(options_.max_waiting),
        "{} + {} sequences wait", waiting_.size(), live->sequences.size());
  for (Sequence& sequence : live->sequences) {
    sequence.arrival_number = arrivals_++;
    sequence.id = SequenceId(sequence.arrival_number);
    sequence.arrival = now;
    waiting_.push_back(&sequence);
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

void Scheduler::plan(base::TimePoint now, StepPlan& plan) {
  plan.clear();
  plan.group_count = cache_.groups().size();
  expire(now);
  StepBudget budget{options_.max_batch_tokens, options_.max_logit_rows};
  plan_running(plan, budget);
  admit_waiting(now, plan, budget);
  CHECK(!plan.empty() || requests_.empty(), "{} requests are stuck", requests_.size());
}

void Scheduler::plan_running(StepPlan& plan, StepBudget& budget) {
  for (Sequence* const sequence : running_) {
    if (sequence->pending_count() == 1) add_step(*sequence, plan, budget);
  }
  for (Sequence* const sequence : running_) {
    if (sequence->pending_count() > 1) add_step(*sequence, plan, budget);
  }
}

void Scheduler::admit_waiting(base::TimePoint now, StepPlan& plan, StepBudget& budget) {
  const auto before = [&](const Sequence* a, const Sequence* b) {
    if (order_->comes_before(*a, *b, now)) return true;
    if (order_->comes_before(*b, *a, now)) return false;
    return a->arrival_number < b->arrival_number;
  };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), before)) {
    std::sort(waiting_.begin(), waiting_.end(), before);
  }
  std::size_t admitted = 0;
  // While somebody who runs got no row, nobody else starts.
  bool room = budget.rows > 0 && plan.sequences.size() == running_.size();
  while (room && admitted < waiting_.size() && running_count() < options_.max_sequences) {
    Sequence& next = *waiting_[admitted];
    if (!admit(next)) break;
    ++admitted;
    room = add_step(next, plan, budget) && budget.rows > 0;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(admitted));
}

bool Scheduler::admit(Sequence& sequence) {
  // Positions whose logits are wanted are computed, cached or not: the cache sees the prompt
  // before.
  const auto visible =
      std::min<std::int64_t>(sequence.token_count(), std::int64_t{sequence.logits_from()} + 1);
  const auto table =
      cache_.open(std::span(sequence.tokens).first(static_cast<std::size_t>(visible)),
                  sequence.request->cache_salt, promised_tokens(sequence));
  if (!table) return false;
  sequence.table = *table;
  sequence.computed_count = sequence.planned_count = cache_.computed_count(*table);
  sequence.cached_count = sequence.computed_count;
  sequence.state = SequenceState::running;
  running_.push_back(&sequence);
  return true;
}

bool Scheduler::add_step(Sequence& sequence, StepPlan& plan, StepBudget& budget) {
  const SequenceStep step = next_chunk(sequence, budget, options_);
  if (step.token_count <= 0) return false;
  const bool there = cache_.extend(sequence.table, step.end_position());
  CHECK(there, "sequence {}: promised pages for {} tokens are missing", sequence.id.value,
        step.end_position());
  if (step.first_position >= sequence.prompt_count()) plan.decode_row_count += step.token_count;
  sequence.planned_count = step.end_position();
  budget.rows -= step.token_count;
  budget.logit_rows -= step.logit_row_count();
  plan.row_count += step.token_count;
  plan.logit_row_count += step.logit_row_count();
  plan.sequences.push_back(step);
  for (std::size_t group = 0; group < plan.group_count; ++group) {
    plan.tables.push_back(cache_.pages(sequence.table, group));
  }
  return true;
}

void Scheduler::commit(const StepPlan& plan, const StepResult& result) {
  CHECK(result.sequences.size() == plan.sequences.size(), "{} results for {} sequences",
        result.sequences.size(), plan.sequences.size());
  for (std::size_t index = 0; index < plan.sequences.size(); ++index) {
    const SequenceStep& step = plan.sequences[index];
    commit_sequence(writable(*step.sequence), step, result.sequences[index], result);
  }
  reap();
}

void Scheduler::commit_sequence(Sequence& sequence, const SequenceStep& step,
                                const SequenceResult& outcome, const StepResult& result) {
  sequence.computed_count = step.end_position();
  cache_.advance(sequence.table, sequence.computed_count);
  publish_logits(step, outcome, result);
  const auto scores = std::span(result.scores)
                          .subspan(static_cast<std::size_t>(outcome.first_score),
                                   static_cast<std::size_t>(outcome.score_count));
  for (const TokenScore& score : scores) {
    if (score.position < sequence.token_count()) {
      publish_token(sequence, score, -1, false, result);
      continue;
    }
    CHECK(score.position == sequence.token_count() && step.samples, "sequence {}: token {} of {}",
          sequence.id.value, score.position, sequence.token_count());
    sequence.tokens.push_back(score.token);
    const bool ends = ends_sequence(sequence, score.token);
    const Next next = publish_token(sequence, score, sequence.generated_count() - 1, ends, result);
    if (ends || next == Next::stop) return finish(sequence, FinishReason::stop);
    if (sequence.token_count() == sequence.length_limit) {
      return finish(sequence, FinishReason::length);
    }
  }
  if (sequence.computed_count == sequence.length_limit) finish(sequence, FinishReason::length);
}

void Scheduler::finish(Sequence& sequence, FinishReason reason) {
  if (sequence.state == SequenceState::finished) return;
  if (sequence.state == SequenceState::running) {
    cache_.close(sequence.table, sequence.tokens, sequence.request->cache_salt);
    std::erase(running_, &sequence);
  } else {
    std::erase(waiting_, &sequence);
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
