#pragma once
// How many pages a number of positions needs, and which of them a window still reads.

#include <cstdint>

#include "cache/state_spec.h"

namespace cairn::cache {

/// Pages that positions [0, token_count) stand in.
constexpr std::int32_t pages_to_hold(std::int32_t token_count, std::int32_t page_tokens) {
  return token_count / page_tokens + (token_count % page_tokens == 0 ? 0 : 1);
}

/// The first key that a query at `position` reads.
constexpr std::int32_t first_visible(const PagedState& state, std::int32_t position) {
  const bool all = state.window_tokens == 0 || position < state.window_tokens;
  return all ? 0 : position - state.window_tokens + 1;
}

/// Most pages that a sequence which grows to `token_count` positions holds at once in a group:
/// all of them, or those that touch a window and a chunk.
std::int32_t pages_needed(const PagedState& state, std::int32_t token_count,
                          std::int32_t page_tokens, std::int32_t chunk_tokens);

}  // namespace cairn::cache
