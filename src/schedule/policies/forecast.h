#pragma once
// Forecast: how long pages last when everybody goes on.
//
// Each step a sequence gets one token more, until its length limit; then its pages are free. Limits
// are what requests say, so this errs towards caution where they stop earlier.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/paged_cache.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

/// What a sequence will take and give.
struct Growth {
  std::int32_t steps_left = 0;   // until its length limit
  std::int32_t freed_pages = 0;  // by its end, besides those it takes from now on
};

class Forecast {
 public:
  /// Memory for so many sequences.
  explicit Forecast(std::int32_t max_sequences);

  /// Whether `running` and `sequence`, whose table is open, can all go on for `steps` steps, or to
  /// their ends.
  bool lasts(const Sequence& sequence, std::span<Sequence* const> running,
             const cache::PagedCache& cache, std::int32_t steps);

 private:
  void add(const Sequence& sequence, const cache::PagedCache& cache, std::size_t group);
  bool lasts_in_group(std::int64_t pages, std::int32_t page_tokens, std::int32_t steps);

  std::vector<Growth> growths_;
};

}  // namespace cairn::schedule
