#pragma once
// What a scheduler has done since it was made.

#include <cstdint>

namespace cairn::schedule {

struct SchedulerStatistics {
  std::int64_t prompt_tokens = 0;      // of sequences that started, once each
  std::int64_t cached_tokens = 0;      // of those, found in the cache or shared by a sibling
  std::int64_t computed_tokens = 0;    // rows that were committed
  std::int64_t recomputed_tokens = 0;  // of those, rows of positions that had been there before
  std::int64_t generated_tokens = 0;
  std::int64_t preemptions = 0;
  std::int64_t faults = 0;      // found by check_integrity() and recovered from
  std::int64_t peak_pages = 0;  // owned by running sequences, over all groups
};

}  // namespace cairn::schedule
