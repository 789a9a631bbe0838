#include "schedule/policies/forecast.h"

#include <algorithm>

#include "schedule/policies/admission.h"

namespace cairn::schedule {

Forecast::Forecast(std::int32_t max_sequences) {
  growths_.reserve(static_cast<std::size_t>(max_sequences) + 1);
}

bool Forecast::lasts(const Sequence& sequence, std::span<Sequence* const> running,
                     const cache::PagedCache& cache, std::int32_t steps) {
  for (std::size_t group = 0; group < cache.groups().size(); ++group) {
    // A window does not grow.
    if (cache.groups()[group].state.window_tokens > 0) continue;
    growths_.clear();
    std::int64_t pages = cache.available(group) - outstanding_pages(sequence, cache, group);
    add(sequence, cache, group);
    for (const Sequence* const other : running) {
      pages -= outstanding_pages(*other, cache, group);
      add(*other, cache, group);
    }
    if (!lasts_in_group(pages, cache.options().page_tokens, steps)) return false;
  }
  return true;
}

void Forecast::add(const Sequence& sequence, const cache::PagedCache& cache, std::size_t group) {
  growths_.push_back({sequence.length_limit - sequence.token_count(),
                      cache.pages_freed_by_closing(sequence.table, group)});
}

bool Forecast::lasts_in_group(std::int64_t pages, std::int32_t page_tokens, std::int32_t steps) {
  std::sort(growths_.begin(), growths_.end(),
            [](const Growth& a, const Growth& b) { return a.steps_left < b.steps_left; });
  // Demand grows until somebody ends, so it is largest just before each end.
  std::int64_t ended_pages = 0;
  for (std::size_t ended = 0; ended < growths_.size(); ++ended) {
    const std::int64_t step = std::min(growths_[ended].steps_left, steps);
    const auto left = static_cast<std::int64_t>(growths_.size() - ended);
    if (left * step / page_tokens > pages + ended_pages) return false;
    if (step == steps) return true;
    // What it took on the way is free again, too: it counts no more in `left`.
    ended_pages += growths_[ended].freed_pages;
  }
  return true;
}

}  // namespace cairn::schedule
