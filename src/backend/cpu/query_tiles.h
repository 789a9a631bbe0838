#pragma once
// Which queries are attended together: of one KV head and one sequence, side by side in the batch,
// so that they share each key and value that is read. How they are grouped changes no result.

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernel_table.h"

namespace cairn::backend::cpu {

struct QueryTile {
  std::int32_t kv_head;
  std::int32_t query_count;
  std::int32_t rows[kMaxQueries];
  std::int32_t heads[kMaxQueries];
  std::int32_t first_key;  // keys that at least one of them sees
  std::int32_t key_end;
  std::int32_t first_span;  // spans of kKeySpan keys that at least one of them sees
  std::int32_t span_end;
  std::int64_t first_part;  // AttentionOps: where the results of its spans begin
};

/// Replaces `tiles` by those of all rows and heads: large ones, as long as they have `least_units`
/// spans together for the threads to share.
void make_query_tiles(const Attention& op, std::int64_t least_units, std::vector<QueryTile>& tiles);

}  // namespace cairn::backend::cpu
