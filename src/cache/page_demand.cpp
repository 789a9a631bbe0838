#include "cache/page_demand.h"

#include <algorithm>

namespace cairn::cache {

std::int32_t pages_needed(const PagedState& state, std::int32_t token_count,
                          std::int32_t page_tokens, std::int32_t chunk_tokens) {
  const std::int32_t all = pages_to_hold(token_count, page_tokens);
  if (state.window_tokens == 0) return all;
  // The last computed position may be computed again (fork, truncate): it and its window - 1 older
  // ones, and the chunk. n positions that start anywhere touch at most
  // (n + page_tokens - 2) / page_tokens + 1 pages.
  const std::int64_t positions = std::int64_t{state.window_tokens} + chunk_tokens;
  const std::int64_t window = (positions + page_tokens - 2) / page_tokens + 1;
  return static_cast<std::int32_t>(std::min<std::int64_t>(all, window));
}

}  // namespace cairn::cache
