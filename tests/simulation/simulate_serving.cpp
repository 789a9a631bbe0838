// Experiments with the engine's scheduler and cache, without a model.
//
//   simulate_serving [EXPERIMENT...]        all of them by default
//   simulate_serving draw KIND SEED         prints a load as it was drawn
//
// Exits with 1 where an experiment does not show what it must.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "drawn_loads.h"
#include "experiments.h"

namespace {

struct Experiment {
  std::string_view name;
  std::string_view title;
  bool (*run)(const std::filesystem::path& loads);
};

constexpr std::array kExperiments = {
    Experiment{"waste", "Memory allocated and not used", cairn::simulation::compare_waste},
    Experiment{"recompute", "What preemption computes again",
               cairn::simulation::compare_recompute_tax},
    Experiment{"prefix", "Prompt tokens found in the cache", cairn::simulation::compare_hit_rates},
    Experiment{"static", "Continuous and static batching", cairn::simulation::compare_batching},
    Experiment{"latency", "Streams beside a long prompt", cairn::simulation::compare_chunking},
};

int run(std::vector<std::string_view> names) {
  if (names.size() == 3 && names[0] == "draw") {
    cairn::simulation::print_drawn_load(names[1], std::strtoull(names[2].data(), nullptr, 10));
    return 0;
  }
  int failed = 0;
  for (const Experiment& experiment : kExperiments) {
    const auto wanted = std::find(names.begin(), names.end(), experiment.name);
    if (!names.empty() && wanted == names.end()) continue;
    fmt::print("## {}\n\n", experiment.title);
    const bool shown = experiment.run(CAIRN_LOADS);
    fmt::print("\n{}\n\n", shown ? "As it must be." : "NOT as it must be.");
    failed += shown ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run({values + 1, values + count});
  } catch (const cairn::Error& error) {
    fmt::print(stderr, "simulate_serving: {}\n", error.message());
    return 2;
  }
}
