#pragma once
// Admission: which requests are taken at all, and what a sequence is promised when it starts.
//
// Nothing is preempted yet, so a sequence is promised pages for its prompt and all that it may
// generate: whoever starts can finish, and at least one sequence always makes progress (M3).

#include <cstdint>

#include "cache/cache_manager.h"
#include "schedule/request.h"
#include "schedule/scheduler_options.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

inline constexpr std::int32_t kMaxChoices = 128;

/// Throws invalid_argument or out_of_memory, naming the field, if the request can never run.
void require_admissible(const Request& request, const SchedulerOptions& options,
                        const cache::CacheManager& cache);

/// tokens.size() at which a sequence of this request is finished.
std::int32_t length_limit(const Request& request, const SchedulerOptions& options);

/// Positions whose pages a sequence is promised when it starts.
std::int32_t promised_tokens(const Sequence& sequence);

}  // namespace cairn::schedule
