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

/// Pages by which closing `candidate` comes closer to what `sequence` lacks.
std::int32_t gained_pages(const Sequence& candidate, const cache::PagedCache& cache,
                          const Sequence& sequence, std::int32_t token_count) {
  std::int32_t gained = 0;
  for (std::size_t group = 0; group < cache.groups().size(); ++group) {
    const std::int32_t lacking =
        cache.pages_to_extend(sequence.table, token_count, group) - cache.available(group);
    if (lacking <= 0) continue;
    gained += std::min(lacking, cache.pages_freed_by_closing(candidate.table, group));
  }
  return gained;
}

}  // namespace

Sequence* choose_victim(std::span<Sequence* const> running, const cache::PagedCache& cache,
                        const Sequence& sequence, std::int32_t token_count) {
  const auto first = std::find_if_not(running.begin(), running.end(),
                                      [](const Sequence* other) { return is_idle(*other); });
  Sequence* cheapest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (Sequence* const candidate : running) {
    if (candidate == *first || candidate->rank < sequence.rank) continue;
    const std::int32_t gained = gained_pages(*candidate, cache, sequence, token_count);
    // Pages that two candidates share are free when both are closed.
    const double cost = gained == 0
                            ? std::numeric_limits<double>::infinity()
                            : lost_positions(*candidate, cache) / static_cast<double>(gained);
    if (cost > least) continue;
    least = cost;
    cheapest = candidate;
  }
  return cheapest;
}

}  // namespace cairn::schedule
