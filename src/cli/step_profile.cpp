#include "cli/step_profile.h"

namespace cairn::cli {
namespace {

base::WorkTimes difference(const base::WorkTimes& a, const base::WorkTimes& b) {
  return {a.run_seconds - b.run_seconds, a.busy_seconds - b.busy_seconds};
}

void add_work(base::WorkTimes& sum, const base::WorkTimes& work) {
  sum.run_seconds += work.run_seconds;
  sum.busy_seconds += work.busy_seconds;
}

void add_part(StepProfile::Part& sum, const StepProfile::Part& part) {
  sum.calls += part.calls;
  sum.seconds += part.seconds;
  add_work(sum.work, part.work);
}

}  // namespace

StepProfile::StepProfile(Context& context, backend::Backend& inner)
    : context_(context),
      meter_(context.clock, context.threads.worker_count()),
      trace_(inner, context.clock, &meter_) {
  for (std::size_t kind = 0; kind < backend::kOpKindCount; ++kind) {
    ops_[kind].name = backend::name_of(static_cast<backend::OpKind>(kind));
  }
  between_[schedule].name = "plan and commit";
  between_[rows].name = "lay out rows";
  between_[model].name = "between ops";
  between_[draw].name = "draw tokens";
  context.threads.set_meter(&meter_);
}

StepProfile::~StepProfile() {
  context_.threads.set_meter(nullptr);
}

void StepProfile::discard() {
  trace_.reset();
  seen_ = meter_.total();
}

void StepProfile::add(const engine::StepStatistics& statistics, const engine::StepTimes& times) {
  ++steps_;
  Part in_ops;
  for (std::size_t kind = 0; kind < backend::kOpKindCount; ++kind) {
    const backend::OpTrace& op = trace_.trace(static_cast<backend::OpKind>(kind));
    const Part part{{}, op.calls, op.seconds, op.work};
    add_part(ops_[kind], part);
    add_part(in_ops, part);
  }
  const auto add_between = [&](Between which, double seconds, const base::WorkTimes& work) {
    add_part(between_[which], {{}, 1, seconds, work});
  };
  const double computing = seconds_between(times.built, times.computed);
  add_between(schedule,
              seconds_between(statistics.started, statistics.ended) -
                  seconds_between(times.begun, times.drawn),
              {});
  add_between(rows, seconds_between(times.begun, times.built), {});
  add_between(model, computing - in_ops.seconds, {});
  // Nothing but ops and drawing hands out work.
  add_between(draw, seconds_between(times.computed, times.drawn),
              difference(difference(meter_.total(), seen_), in_ops.work));
  discard();
}

std::vector<StepProfile::Part> StepProfile::parts() const {
  std::vector<Part> parts(ops_.begin(), ops_.end());
  parts.insert(parts.end(), between_.begin(), between_.end());
  return parts;
}

StepProfile::Part StepProfile::whole() const {
  Part whole{.name = "step", .calls = 0, .seconds = 0, .work = {}};
  for (const Part& part : parts()) add_part(whole, part);
  whole.calls = steps_;
  return whole;
}

}  // namespace cairn::cli
