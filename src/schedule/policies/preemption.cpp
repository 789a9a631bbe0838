#include "schedule/policies/preemption.h"

#include <algorithm>
#include <limits>

namespace cairn::schedule {
namespace {

/// Positions that are computed again if the sequence's pages are lost.
std::int32_t lost_positions(const Sequence& sequence, const cache::PagedCache& cache) {
  std::int32_t pages = 0;
  for (std::size_t group = 0; group < cache.groups().size(); ++group) {
    pages = std::max(pages, cache.pages_freed_by_closing(sequence.table, group));
  }
  return std::min(sequence.computed_count, pages * cache.options().page_tokens);
}

}  // namespace

Sequence* choose_victim(std::span<Sequence* const> candidates, const cache::PagedCache& cache,
                        const Sequence& sequence, std::int32_t token_count) {
  Sequence* cheapest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (Sequence* const candidate : candidates) {
    double freed = 0;
    double lacking = 0;
    for (std::size_t group = 0; group < cache.groups().size(); ++group) {
      const std::int32_t needed = cache.pages_to_extend(sequence.table, token_count, group);
      if (needed <= cache.available(group)) continue;
      lacking += needed - cache.available(group);
      freed += cache.pages_freed_by_closing(candidate->table, group);
    }
    // Pages that two candidates share are free when both are closed.
    const double gained = std::min(freed, lacking);
    const double cost = gained == 0 ? std::numeric_limits<double>::infinity()
                                    : lost_positions(*candidate, cache) / gained;
    if (cost > least) continue;
    least = cost;
    cheapest = candidate;
  }
  return cheapest;
}

}  // namespace cairn::schedule
