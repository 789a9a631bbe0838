#include "cache/page_group.h"

#include <algorithm>

namespace cairn::cache {

std::vector<PageGroup> group_layers(std::span<const StateSpec> states) {
  std::vector<PageGroup> groups;
  for (std::size_t layer = 0; layer < states.size(); ++layer) {
    const auto* paged = std::get_if<PagedState>(&states[layer]);
    if (paged == nullptr) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const PageGroup& g) { return g.state == *paged; });
    if (group == groups.end()) group = groups.insert(groups.end(), PageGroup{*paged, {}});
    group->layers.emplace_back(static_cast<std::int32_t>(layer));
  }
  return groups;
}

}  // namespace cairn::cache
