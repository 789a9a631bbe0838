#include <fmt/format.h>

#include "experiments.h"
#include "last_come_policy.h"

namespace cairn::simulation {

bool compare_recompute_tax(const std::filesystem::path& loads) {
  const std::vector<LoadRequest> load = read_load(loads / "recompute.txt");
  fmt::print("{} requests. Tax: tokens computed again for each that had to be computed.\n\n",
             load.size());
  fmt::print(
      "| pages of 16 | policy | tax | preemptions | generated a step | seconds | longest "
      "stay s |\n|---|---|---|---|---|---|---|\n");
  bool shown = true;
  for (const std::int32_t pages : {1600, 800, 400}) {
    const perf::SimulatorOptions options = serving_options(pages, 256, 512);
    const ServingOutcome theirs = serve_last_come_preempted(load, options);
    const ServingOutcome ours = serve(load, options);
    const auto print = [pages](std::string_view policy, const ServingOutcome& outcome) {
      fmt::print("| {} | {} | {:.0f} % | {} | {:.2f} | {:.1f} | {:.1f} |\n", pages, policy,
                 100 * outcome.recompute_tax(), outcome.preemptions, outcome.generated_per_step(),
                 outcome.seconds, outcome.longest_stay());
    };
    print("last come is preempted", theirs);
    print("cairn", ours);
    shown &= ours.recompute_tax() <= theirs.recompute_tax() / 2;
    shown &= ours.generated_per_step() >= theirs.generated_per_step();
    shown &= ours.longest_stay() <= 1.5 * theirs.longest_stay();
  }
  return shown;
}

}  // namespace cairn::simulation
