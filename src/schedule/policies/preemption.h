#pragma once
// Preemption: who gives its pages up when somebody of higher rank lacks some.
//
// A sequence can lose the positions that only it holds: what others hold is found again. Its own
// pages stay in the tree, and are lost from the end as far as others need them; sooner or later
// that is all of them, so the price is all it holds, for each page that is lacking now. Mostly that
// is one page, and the sequence that has the least to lose gives it.

#include <cstdint>
#include <span>

#include "cache/paged_cache.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

/// Of `running`, in the order of rank, the one whose lost work is cheapest per page gained, in
/// groups that lack pages for `sequence` to reach `token_count`; among equals the one of lowest
/// rank. It may be `sequence` itself; never the first that is not idle, nor one that its order
/// ranks before `sequence` for more than its arrival. Null if there is none.
Sequence* choose_victim(std::span<Sequence* const> running, const cache::PagedCache& cache,
                        const Sequence& sequence, std::int32_t token_count);

}  // namespace cairn::schedule
