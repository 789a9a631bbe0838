#pragma once
// Admission: which requests are taken at all, and when a sequence may start.
//
// A request whose prompt and continuation exceed all the pages there are is refused. A sequence
// starts when there are pages for the tokens it has and one more for every running sequence, beside
// those that running sequences still need for the tokens they have. One that lost its pages before
// starts when, besides, all can go on for so many steps as make up for computing it again
// (forecast.h), or it would lose them again at once. The rest is preemption's business: whoever has
// the highest rank of those that run can have all pages, so it runs to its end, and then the next
// one has the highest rank (M3).

#include <cstdint>
#include <span>

#include "cache/paged_cache.h"
#include "schedule/request.h"
#include "schedule/scheduler_options.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

inline constexpr std::int32_t kMaxChoices = 128;

inline constexpr std::int32_t kMaxBeams = 16;

/// Sequences that a request is computed as: its choices, or its beams.
inline std::int32_t sequence_count(const Request& request) {
  return request.beam_search ? request.beam_search->width : request.choice_count;
}

/// Throws invalid_argument or out_of_memory, naming the field, if the request can never run.
void require_admissible(const Request& request, const SchedulerOptions& options,
                        const cache::PagedCache& cache);

/// tokens.size() at which a sequence of this request is finished.
std::int32_t length_limit(const Request& request, const SchedulerOptions& options);

/// Pages that a running sequence still needs at once for the tokens it has.
std::int32_t outstanding_pages(const Sequence& sequence, const cache::PagedCache& cache,
                               std::size_t group);

/// A guess from hit_count, so that most of those that cannot start are not looked at closer: false
/// only if there is no room.
bool may_have_room(const Sequence& sequence, const cache::PagedCache& cache);

/// Whether `sequence`, whose table is open, may start beside `running`.
bool has_room(const Sequence& sequence, std::span<Sequence* const> running,
              const cache::PagedCache& cache);

}  // namespace cairn::schedule
