#pragma once
// A load served under a virtual clock, and what came of it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "perf/simulator/simulator.h"
#include "serving_load.h"

namespace cairn::simulation {

/// Times in seconds since the start.
struct ServedRequest {
  double arrival = 0;
  double first_token = 0;
  double end = 0;
  std::vector<double> gaps;  // between its tokens
  std::int32_t cached_tokens = 0;
  double time_to_first_token() const { return first_token - arrival; }
};

struct ServingOutcome {
  std::int64_t steps = 0;
  std::int64_t computed_tokens = 0;
  std::int64_t recomputed_tokens = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t generated_tokens = 0;
  std::int64_t preemptions = 0;
  double seconds = 0;
  std::vector<ServedRequest> requests;  // as in the load

  /// Recomputed tokens for each that had to be computed.
  double recompute_tax() const {
    return static_cast<double>(recomputed_tokens) /
           static_cast<double>(computed_tokens - recomputed_tokens);
  }
  double generated_per_step() const {
    return static_cast<double>(generated_tokens) / static_cast<double>(steps);
  }
  double longest_stay() const;
};

/// Called with each step's plan and the time at its end.
using PlanObserver = std::function<void(const schedule::StepPlan& plan, double now)>;

/// An engine with one page group that sees all positions, for loads of up to 100,000 requests.
perf::SimulatorOptions serving_options(std::int32_t page_count, std::int32_t max_sequences,
                                       std::int32_t max_batch_tokens);

/// On cairn's own scheduler and cache. The id of request i is i + 1.
ServingOutcome serve(const std::vector<LoadRequest>& load, const perf::SimulatorOptions& options,
                     const PlanObserver& observer = {});

/// `share` of the values (0.99: the 99th percentile) are at most this. Reorders them.
double percentile(std::vector<double>& values, double share);

}  // namespace cairn::simulation
