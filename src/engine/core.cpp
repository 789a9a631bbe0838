#include "engine/core.h"

#include "base/error.h"

namespace cairn::engine {

Core::Core(const CoreParts& parts) : parts_(parts) {
  const schedule::SchedulerOptions& options = parts_.scheduler.options();
  const auto sequences = static_cast<std::size_t>(options.max_sequences);
  const auto waiting = static_cast<std::size_t>(options.max_waiting);
  plan_.sequences.reserve(sequences);
  const std::size_t groups = parts_.scheduler.page_group_count();
  plan_.tables.reserve(sequences * groups);
  plan_.copies.reserve(2 * sequences * groups);  // some for sequences that lose their pages again
  result_.sequences.reserve(sequences);
  result_.scores.reserve(sequences + static_cast<std::size_t>(options.max_logit_rows));
  incoming_.reserve(waiting);
  inbox_.reserve(waiting);
  cancelling_.reserve(waiting);
  cancels_.reserve(waiting);
}

RequestId Core::submit(Request request) {
  auto live = parts_.scheduler.prepare(std::move(request));
  const auto count = static_cast<std::int32_t>(live->sequences.size());
  const std::int32_t most = parts_.scheduler.options().max_waiting;
  const std::scoped_lock lock(mutex_);
  const std::int32_t queued = inbox_sequences_ + waiting_sequences_;
  if (queued + count > most) {
    fail(ErrorKind::unavailable, "the queue holds {} sequences of at most {}; try again later",
         queued, most);
  }
  const RequestId id(++ids_);
  live->request.id = id;
  inbox_sequences_ += count;
  inbox_.push_back(std::move(live));
  return id;
}

void Core::cancel(RequestId id) {
  const std::scoped_lock lock(mutex_);
  cancels_.push_back(id);
}

void Core::cancel_all() {
  const std::scoped_lock lock(mutex_);
  cancel_all_ = true;
}

bool Core::step() {
  drain_inbox();
  const base::TimePoint started = parts_.clock.now();
  parts_.scheduler.plan(started, plan_);
  update_waiting();
  if (plan_.empty()) {
    if (std::exchange(busy_, false)) check_integrity();
    return false;
  }
  busy_ = true;
  StepStatistics statistics;
  if (step_observer_ != nullptr) statistics = describe_plan(started);
  const schedule::Ticket ticket = parts_.executor.submit(plan_);
  parts_.executor.collect(ticket, result_);
  parts_.scheduler.commit(plan_, result_);
  if (++steps_ % parts_.check_interval == 0) check_integrity();
  if (step_observer_ != nullptr) {
    statistics.ended = parts_.clock.now();
    step_observer_->on_step(statistics);
  }
  return true;
}

void Core::drain_inbox() {
  bool cancel_all = false;
  {
    const std::scoped_lock lock(mutex_);
    incoming_.swap(inbox_);
    cancelling_.swap(cancels_);
    cancel_all = std::exchange(cancel_all_, false);
    waiting_sequences_ += std::exchange(inbox_sequences_, 0);
  }
  const base::TimePoint now = parts_.clock.now();
  for (auto& live : incoming_) parts_.scheduler.accept(std::move(live), now);
  incoming_.clear();
  for (const RequestId id : cancelling_) parts_.scheduler.cancel(id);
  cancelling_.clear();
  if (cancel_all) parts_.scheduler.cancel_all();
}

void Core::update_waiting() {
  const std::scoped_lock lock(mutex_);
  waiting_sequences_ = parts_.scheduler.waiting_count();
}

StepStatistics Core::describe_plan(base::TimePoint started) const {
  StepStatistics statistics;
  statistics.started = started;
  statistics.rows = plan_.row_count;
  statistics.decode_rows = plan_.decode_row_count;
  statistics.sequences = static_cast<std::int32_t>(plan_.sequences.size());
  statistics.logit_rows = plan_.logit_row_count;
  for (const schedule::SequenceStep& step : plan_.sequences) {
    statistics.context_tokens += step.end_position();
  }
  statistics.waiting_sequences = parts_.scheduler.waiting_count();
  statistics.running_sequences = parts_.scheduler.running_count();
  statistics.predicted_seconds = parts_.price.seconds(plan_);
  return statistics;
}

void Core::check_integrity() {
  const std::string fault = parts_.scheduler.check_integrity();
  if (fault.empty()) return;
  parts_.log.error("page tables are at fault: {}; {} running sequences are computed again", fault,
                   parts_.scheduler.running_count());
  parts_.scheduler.recover();
}

}  // namespace cairn::engine
