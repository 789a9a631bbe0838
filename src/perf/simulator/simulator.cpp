#include "perf/simulator/simulator.h"

#include <cmath>

namespace cairn::perf {
namespace {

std::vector<cache::PageGroup> page_groups(const SimulatorOptions& options) {
  std::vector<cache::PageGroup> groups;
  for (const std::int32_t window : options.windows) {
    const LayerIndex layer(static_cast<std::int32_t>(groups.size()));
    groups.push_back({cache::PagedState{1, 1, 1, window}, {layer}});
  }
  return groups;
}

cache::PagedCacheOptions cache_options(const SimulatorOptions& options) {
  cache::PagedCacheOptions result;
  result.page_tokens = options.page_tokens;
  result.page_counts = options.page_counts;
  result.max_sequences = options.scheduler.max_sequences;
  result.sequence_tokens = options.scheduler.context_tokens;
  result.chunk_tokens = options.scheduler.max_batch_tokens;
  result.share_prefixes = options.share_prefixes;
  return result;
}

schedule::CountingExecutor::Options executor_options(const SimulatorOptions& options) {
  schedule::CountingExecutor::Options result;
  result.page_tokens = options.page_tokens;
  result.page_counts = options.page_counts;
  result.vocabulary = static_cast<std::int32_t>(options.scheduler.vocabulary);
  result.max_sequences = options.scheduler.max_sequences;
  result.max_logit_rows = options.gives_logits ? options.scheduler.max_logit_rows : 0;
  result.checks_content = options.checks_content;
  return result;
}

}  // namespace

schedule::Ticket SimulatedExecutor::submit(const schedule::StepPlan& plan) {
  plan_ = &plan;
  return executor_.submit(plan);
}

void SimulatedExecutor::collect(schedule::Ticket ticket, schedule::StepResult& result) {
  executor_.collect(ticket, result);
  clock_.advance(std::llround(price_.seconds(*plan_).value_or(0) * 1e9));
  if (observer_) observer_(*plan_);
}

Simulator::Simulator(const SimulatorOptions& options)
    : cache_(page_groups(options), cache_options(options)),
      price_(options.price),
      scheduler_(options.scheduler, cache_, price_),
      counting_(cache_.groups(), executor_options(options)),
      executor_(counting_, price_, clock_),
      core_({scheduler_, executor_, price_, clock_, log_}) {}

void Simulator::advance_to(base::TimePoint time) {
  if (time > clock_.now()) clock_.advance(time.nanoseconds - clock_.now().nanoseconds);
}

std::string Simulator::check() const {
  std::string fault = counting_.fault();
  return fault.empty() ? scheduler_.check_integrity() : fault;
}

}  // namespace cairn::perf
