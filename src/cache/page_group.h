#pragma once
// Layers with the same kind of paged state share one page table: a page of the group holds
// page_tokens positions of all its layers.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/state_spec.h"

namespace cairn::cache {

struct PageGroup {
  PagedState state;
  std::vector<LayerIndex> layers;  // ascending
};

/// Groups in the order of their first layer.
std::vector<PageGroup> group_layers(std::span<const StateSpec> states);

}  // namespace cairn::cache
