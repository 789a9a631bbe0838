#pragma once
// What one layer remembers of a sequence. The cache knows these kinds, not models.

#include <compare>
#include <cstdint>
#include <variant>

#include "base/ids.h"

namespace cairn::cache {

/// Keys and values of every position, or of the last window_tokens positions (0: all).
struct PagedState {
  std::int32_t kv_heads = 0;
  std::int32_t key_dim = 0;
  std::int32_t value_dim = 0;
  std::int32_t window_tokens = 0;
  friend auto operator<=>(const PagedState&, const PagedState&) = default;
};

/// A fixed-size state per sequence (recurrent layers).
struct SlotState {
  std::int64_t bytes = 0;
  friend auto operator<=>(const SlotState&, const SlotState&) = default;
};

/// Reads another layer's pages.
struct SharedState {
  LayerIndex owner;
  friend auto operator<=>(const SharedState&, const SharedState&) = default;
};

/// monostate: the layer remembers nothing.
using StateSpec = std::variant<std::monostate, PagedState, SlotState, SharedState>;

}  // namespace cairn::cache
