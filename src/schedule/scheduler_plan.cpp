// How a step is planned. What it brought: scheduler.cpp.

#include <algorithm>

#include "base/check.h"
#include "schedule/policies/admission.h"
#include "schedule/policies/preemption.h"
#include "schedule/scheduler.h"

namespace cairn::schedule {
namespace {

/// Sequences that open a table in vain in one step, because the pages they share are not free.
constexpr std::int32_t kStartAttempts = 4;

/// A sequence that lost its pages starts again when all that run can generate so many tokens before
/// pages are short, for each token that it may lose. More of them: less is computed again, and
/// pages are idle for longer.
constexpr std::int64_t kTokensPerLostToken = 9;

/// Whether it had better wait until the first choice has computed the prompt that they share.
bool waits_for_sibling(const Sequence& sequence) {
  const Sequence& first = sequence.live->sequences.front();
  return &first != &sequence && sequence.reached_count == 0 &&
         first.state != SequenceState::finished && first.reached_count < first.prompt_count();
}

}  // namespace

void Scheduler::plan(base::TimePoint now, StepPlan& plan) {
  expire(now);
  do {
    plan_sequences(plan);
  } while (plan.empty() && release_idle_beam());
  CHECK(!plan.empty() || requests_.empty(), "{} requests are stuck", requests_.size());
}

void Scheduler::plan_sequences(StepPlan& plan) {
  plan.clear();
  plan.group_count = cache_.groups().size();
  const bool open = running_.empty() || order_->joins_running();
  plan_running(plan);
  const auto idle = static_cast<std::size_t>(
      std::ranges::count_if(running_, [](const Sequence* sequence) { return is_idle(*sequence); }));
  const bool all_served = plan.sequences.size() + prompts_.size() + idle == running_.size();
  waiting_.refresh();
  // While somebody who runs got no row, nobody else starts.
  if (open && all_served) plan_waiting(plan);
  finish_plan(plan);
}

void Scheduler::plan_running(StepPlan& plan) {
  prompts_.clear();
  budget_ = prompt_budget(plan);
  for (std::size_t index = 0; index < running_.size();) {
    Sequence& sequence = *running_[index];
    StepBudget one{1, 1};
    StepBudget& budget = sequence.pending_count() == 1 ? one : budget_;
    if (!is_idle(sequence)) add_rows(sequence, MayPreempt::yes, budget, plan);
    // It and those before it may have lost their pages, and their places here.
    index = rank_of(sequence);
  }
}

StepBudget Scheduler::prompt_budget(StepPlan& plan) {
  const Sequence* prompt = waiting_.size() > 0 ? waiting_.sequences().front() : nullptr;
  for (const Sequence* const sequence : running_) {
    if (is_idle(*sequence)) continue;
    if (sequence->pending_count() > 1) {
      if (prompt == nullptr || prompt->state == SequenceState::waiting) prompt = sequence;
      continue;
    }
    const SequenceStep step = next_chunk(*sequence, {1, 1}, options_);
    plan.sequences.push_back(step);
    plan.row_count += step.token_count;
    plan.logit_row_count += step.logit_row_count();
  }
  const auto decodes = static_cast<std::int32_t>(plan.sequences.size());
  StepBudget budget{options_.max_batch_tokens - decodes, options_.max_logit_rows - decodes};
  if (prompt != nullptr && decodes > 0 && budget.rows > 0 && options_.target_itl_seconds > 0) {
    budget.rows = affordable_rows(plan, *prompt, budget.rows, price_, options_);
  }
  plan.clear();
  return budget;
}

bool Scheduler::add_rows(Sequence& sequence, MayPreempt may_preempt, StepBudget& budget,
                         StepPlan& plan) {
  SequenceStep step = next_chunk(sequence, budget, options_);
  if (step.token_count <= 0) return false;
  if (!take_pages(sequence, may_preempt, budget, step, plan)) return false;
  sequence.planned_count = step.end_position();
  budget.rows -= step.token_count;
  budget.logit_rows -= step.logit_row_count();
  (step.token_count == 1 ? plan.sequences : prompts_).push_back(step);
  return true;
}

bool Scheduler::take_pages(Sequence& sequence, MayPreempt may_preempt, const StepBudget& budget,
                           SequenceStep& step, StepPlan& plan) {
  StepBudget smaller = budget;
  while (!cache_.extend(sequence.table, step.end_position(), plan.copies)) {
    if (step.token_count > 1) {
      smaller.rows = step.token_count / 2;
      step = next_chunk(sequence, smaller, options_);
      continue;
    }
    if (may_preempt == MayPreempt::no) return false;
    Sequence* const victim = choose_victim(running_, cache_, sequence, step.end_position());
    if (victim == nullptr) return false;
    drop_rows(*victim, plan);
    preempt(*victim);
    if (victim == &sequence) return false;
    step = next_chunk(sequence, budget, options_);
  }
  return true;
}

void Scheduler::drop_rows(const Sequence& sequence, StepPlan& plan) {
  if (sequence.planned_count == sequence.computed_count) return;
  const auto is_its = [&](const SequenceStep& step) { return step.sequence == &sequence; };
  std::erase_if(plan.sequences, is_its);
  const auto step = std::ranges::find_if(prompts_, is_its);
  if (step == prompts_.end()) return;
  budget_.rows += step->token_count;
  budget_.logit_rows += step->logit_row_count();
  prompts_.erase(step);
}

std::size_t Scheduler::rank_of(const Sequence& sequence) const {
  const auto behind =
      std::upper_bound(running_.begin(), running_.end(), &sequence,
                       [](const Sequence* a, const Sequence* b) { return outranks(*a, *b); });
  return static_cast<std::size_t>(behind - running_.begin());
}

void Scheduler::plan_waiting(StepPlan& plan) {
  std::int32_t attempts = 0;
  std::size_t index = 0;
  std::size_t blocked = 0;  // of those before index, how many lack pages
  while (budget_.rows > 0 && attempts < kStartAttempts &&
         running_count() < options_.max_sequences && index < waiting_.sequences().size()) {
    Sequence& sequence = *waiting_.sequences()[index];
    if (waits_for_sibling(sequence) || is_idle(sequence)) {
      ++index;
      continue;
    }
    if (may_have_room(sequence, cache_)) {
      if (start(sequence)) {
        for (std::size_t passed = 0; passed < index && blocked > 0; ++passed) {
          ++waiting_.sequences()[passed]->bypassed_count;
        }
        add_rows(sequence, MayPreempt::no, budget_, plan);
        continue;
      }
      ++attempts;
    }
    if (sequence.bypassed_count >= options_.max_bypass) break;
    ++blocked;
    ++index;
  }
}

void Scheduler::finish_plan(StepPlan& plan) {
  plan.sequences.insert(plan.sequences.end(), prompts_.begin(), prompts_.end());
  for (const SequenceStep& step : plan.sequences) {
    plan.row_count += step.token_count;
    plan.logit_row_count += step.logit_row_count();
    if (step.first_position >= step.sequence->prompt_count()) {
      plan.decode_row_count += step.token_count;
    }
    for (std::size_t group = 0; group < plan.group_count; ++group) {
      plan.tables.push_back(cache_.pages(step.sequence->table, group));
    }
  }
  statistics_.peak_pages = std::max(statistics_.peak_pages, cache_.owned_pages());
}

bool Scheduler::start(Sequence& sequence) {
  const auto table = open_table(sequence);
  if (!table) return false;
  sequence.table = *table;
  if (!has_room(sequence, running_, cache_) || !has_time(sequence)) {
    cache_.close(*table, sequence.tokens, true);
    return false;
  }
  run(sequence, *table);
  return true;
}

bool Scheduler::has_time(const Sequence& sequence) {
  if (sequence.preempted_count == 0 || running_.empty()) return true;
  const std::int64_t steps =
      kTokensPerLostToken * sequence.token_count() / (std::int64_t{running_count()} + 1);
  return forecast_.lasts(sequence, running_, cache_, static_cast<std::int32_t>(steps));
}

std::optional<cache::TableId> Scheduler::open_table(const Sequence& sequence) {
  if (const auto table = fork_first(sequence)) return table;
  return cache_.open(sequence.reusable_tokens(), sequence.request->cache_salt);
}

std::optional<cache::TableId> Scheduler::fork_first(const Sequence& sequence) {
  const Sequence& first = sequence.live->sequences.front();
  if (&first == &sequence || sequence.reached_count > 0) return std::nullopt;
  if (first.state != SequenceState::running || first.computed_count < first.prompt_count()) {
    return std::nullopt;
  }
  // The last token of the prompt is computed again, for logits to draw from.
  const std::int32_t shared = std::min(first.prompt_count() - 1, sequence.logits_from());
  // A window holds what the last computed position reads; a prefix found again, the next one's.
  const bool windows_left =
      has_windows_ && (shared < first.computed_count - 1 || first.preempted_count > 0);
  if (shared == 0 || windows_left) return std::nullopt;
  return cache_.fork(first.table, shared);
}

void Scheduler::run(Sequence& sequence, cache::TableId table) {
  waiting_.remove(sequence);
  sequence.bypassed_count = 0;
  sequence.table = table;
  sequence.computed_count = sequence.planned_count = cache_.computed_count(table);
  sequence.reached_count = std::max(sequence.reached_count, sequence.computed_count);
  if (sequence.preempted_count == 0) {
    sequence.cached_count = sequence.computed_count;
    statistics_.prompt_tokens += sequence.prompt_count();
    statistics_.cached_tokens += sequence.cached_count;
  }
  join_running(sequence);
}

void Scheduler::join_running(Sequence& sequence) {
  sequence.state = SequenceState::running;
  running_.insert(running_.begin() + static_cast<std::ptrdiff_t>(rank_of(sequence)), &sequence);
}

void Scheduler::fork_siblings(const Sequence& first) {
  if (first.choice != 0) return;
  for (Sequence& sibling : first.live->sequences) {
    if (sibling.state != SequenceState::waiting || sibling.reached_count > 0) continue;
    if (running_count() == options_.max_sequences || !start(sibling)) return;
  }
}

void Scheduler::preempt(Sequence& sequence) {
  cache_.close(sequence.table, sequence.tokens, true);
  ++statistics_.preemptions;
  put_back(sequence);
}

void Scheduler::put_back(Sequence& sequence) {
  std::erase(running_, &sequence);
  ++sequence.preempted_count;
  sequence.state = SequenceState::waiting;
  sequence.computed_count = sequence.planned_count = 0;
  waiting_.add(sequence);
}

}  // namespace cairn::schedule
