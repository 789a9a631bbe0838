#include <fmt/format.h>

#include "experiments.h"
#include "serving.h"

namespace cairn::simulation {

bool compare_batching(const std::filesystem::path& loads) {
  const std::vector<LoadRequest> load = read_load(loads / "variance.txt");
  constexpr std::int32_t kSequences = 16;
  fmt::print(
      "{} requests, {} sequences at a time, 2,000 pages of 16. Occupancy: sequences with "
      "rows, of those that could have some.\n\n",
      load.size(), kSequences);
  fmt::print("| batching | generated tokens/s | occupancy | median TTFT s |\n|---|---|---|---|\n");
  double rates[2] = {0, 0};
  for (const bool continuous : {false, true}) {
    perf::SimulatorOptions options = serving_options(2000, kSequences, 512);
    options.scheduler.order = continuous ? "fcfs" : "static";
    options.price = {0.01, 0.0005, 0};
    double occupied = 0;
    const ServingOutcome outcome =
        serve(load, options, [&](const schedule::StepPlan& plan, double) {
          occupied += static_cast<double>(plan.sequences.size()) / kSequences;
        });
    std::vector<double> first_tokens;
    for (const ServedRequest& request : outcome.requests) {
      first_tokens.push_back(request.time_to_first_token());
    }
    const double rate = static_cast<double>(outcome.generated_tokens) / outcome.seconds;
    rates[continuous ? 1 : 0] = rate;
    fmt::print("| {} | {:.0f} | {:.0f} % | {:.1f} |\n", continuous ? "continuous" : "static", rate,
               100 * occupied / static_cast<double>(outcome.steps), percentile(first_tokens, 0.5));
  }
  fmt::print("\nContinuous batching generates {:.2f} times as fast.\n", rates[1] / rates[0]);
  return rates[1] > rates[0];
}

}  // namespace cairn::simulation
