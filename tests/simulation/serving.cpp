#include "serving.h"

#include <cmath>
#include <deque>

namespace cairn::simulation {
namespace {

class Client final : public schedule::RequestObserver {
 public:
  Client(const perf::Simulator& simulator, ServedRequest& served, std::size_t& finished_count)
      : simulator_(simulator), served_(served), finished_count_(finished_count) {}

  schedule::Next on_token(const schedule::TokenEvent& event) override {
    if (event.index == 0) {
      served_.first_token = now();
    } else {
      served_.gaps.push_back(now() - last_token_);
    }
    last_token_ = now();
    return schedule::Next::go_on;
  }
  void on_finished(const schedule::FinishedEvent& event) override {
    served_.end = now();
    served_.cached_tokens = event.usage.cached_tokens;
    ++finished_count_;
  }

 private:
  double now() const { return base::seconds_between({}, simulator_.now()); }

  const perf::Simulator& simulator_;
  ServedRequest& served_;
  std::size_t& finished_count_;
  double last_token_ = 0;
};

Request request_of(const LoadRequest& asked, std::vector<TokenId> prompt, Client& client) {
  Request request;
  request.prompt = std::move(prompt);
  request.max_tokens = asked.output_tokens;
  request.observer = &client;
  return request;
}

}  // namespace

double ServingOutcome::longest_stay() const {
  double longest = 0;
  for (const ServedRequest& request : requests) {
    longest = std::max(longest, request.end - request.arrival);
  }
  return longest;
}

perf::SimulatorOptions serving_options(std::int32_t page_count, std::int32_t max_sequences,
                                       std::int32_t max_batch_tokens) {
  perf::SimulatorOptions options;
  options.scheduler.context_tokens = page_count * options.page_tokens;
  options.scheduler.vocabulary = kLoadVocabulary;
  options.scheduler.max_sequences = max_sequences;
  options.scheduler.max_waiting = 100'000;
  options.scheduler.max_batch_tokens = max_batch_tokens;
  options.scheduler.max_logit_rows = max_sequences;
  options.page_counts = {page_count};
  options.price = {0.01, 1e-5, 0};
  options.checks_content = false;
  options.gives_logits = false;
  return options;
}

ServingOutcome serve(const std::vector<LoadRequest>& load, const perf::SimulatorOptions& options,
                     const PlanObserver& observer) {
  ServingOutcome outcome;
  outcome.requests.resize(load.size());
  std::vector<std::vector<TokenId>> prompts = prompts_of(load);
  perf::Simulator simulator(options);
  if (observer) {
    simulator.set_plan_observer([&](const schedule::StepPlan& plan) {
      observer(plan, base::seconds_between({}, simulator.now()));
    });
  }
  std::deque<Client> clients;
  std::size_t finished = 0;
  while (finished < load.size()) {
    const double now = base::seconds_between({}, simulator.now());
    while (clients.size() < load.size() && load[clients.size()].arrival_seconds <= now) {
      const std::size_t index = clients.size();
      outcome.requests[index].arrival = load[index].arrival_seconds;
      Client& client = clients.emplace_back(simulator, outcome.requests[index], finished);
      simulator.core().submit(request_of(load[index], std::move(prompts[index]), client));
    }
    if (simulator.step()) {
      ++outcome.steps;
    } else {
      simulator.advance_to({std::llround(load[clients.size()].arrival_seconds * 1e9) + 1});
    }
  }
  const schedule::SchedulerStatistics& statistics = simulator.scheduler().statistics();
  outcome.computed_tokens = statistics.computed_tokens;
  outcome.recomputed_tokens = statistics.recomputed_tokens;
  outcome.prompt_tokens = statistics.prompt_tokens;
  outcome.cached_tokens = statistics.cached_tokens;
  outcome.generated_tokens = statistics.generated_tokens;
  outcome.preemptions = statistics.preemptions;
  outcome.seconds = base::seconds_between({}, simulator.now());
  return outcome;
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto rank =
      static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  const auto place = values.begin() + std::max<std::ptrdiff_t>(rank, 0);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace cairn::simulation
