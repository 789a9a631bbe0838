#pragma once
// Preemption: who gives its pages up when somebody of higher rank lacks some.
//
// A sequence loses the positions that only it holds; what others hold, or the tree keeps for them,
// is found again. Its own pages stay in the tree, too, and are lost from the end only as far as
// they are needed: what counts is what can be lost for each page that is gained.

#include <cstdint>
#include <span>

#include "cache/paged_cache.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

/// Of `candidates` (running, in the order of their rank) the one whose lost work is cheapest per
/// page freed, in groups that lack pages for `sequence` to reach `token_count`; among equals the
/// one of lowest rank. Null if there are none.
Sequence* choose_victim(std::span<Sequence* const> candidates, const cache::PagedCache& cache,
                        const Sequence& sequence, std::int32_t token_count);

}  // namespace cairn::schedule
