#pragma once
// Another scheduler for comparison, as vLLM's (its version 1) is described: running requests in the
// order in which they started, one token budget a step; a prompt gets blocks for the chunk it
// computes; who finds no free block takes those of the last that started, which waits at the head
// of the line and is computed again, but for those of its full blocks that nobody has reused: freed
// blocks keep their content and are reused in the order in which they were freed, a request's last
// ones first.

#include <vector>

#include "serving.h"

namespace cairn::simulation {

/// Takes sizes and prices from `options`. Only the ends of requests are recorded.
ServingOutcome serve_last_come_preempted(const std::vector<LoadRequest>& load,
                                         const perf::SimulatorOptions& options);

}  // namespace cairn::simulation
