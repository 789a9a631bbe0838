#pragma once
// A step flattened: rows of all sequences, one after the other. Plain views, filled by the
// executor.

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/ids.h"

namespace cairn::nn {

/// Where the rows stand in one page group.
struct GroupRows {
  std::span<const backend::KeyList> keys;     // [rows]
  std::span<const std::int64_t> write_slots;  // [rows]
};

struct Batch {
  std::span<const TokenId> tokens;           // [rows]
  std::span<const std::int32_t> positions;   // [rows]
  std::span<const GroupRows> groups;         // by page group, as cache::group_layers orders them
  std::span<const std::int32_t> logit_rows;  // rows whose logits are wanted, ascending
  std::int64_t row_count() const { return static_cast<std::int64_t>(tokens.size()); }
};

}  // namespace cairn::nn
