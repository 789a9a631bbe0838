#pragma once
// A merge as files write it, "left right", read as tokens.

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"
#include "text/merge.h"
#include "text/piece_index.h"

namespace cairn::text {

struct WrittenMerge {
  TokenId left;
  TokenId right;
  Merge merge;
};

/// merges[rank], whose pieces and whose joined piece stand in `pieces`. Throws corrupt where it is
/// no pair, or one of them is missing.
WrittenMerge read_merge(const std::vector<std::string>& merges, std::size_t rank,
                        const PieceIndex& pieces);

}  // namespace cairn::text
