#include "backend/cpu/query_tiles.h"

#include <algorithm>

namespace cairn::backend::cpu {
namespace {

/// Among more rows, too many keys are seen by some only.
constexpr std::int64_t kMaxRows = 16;
constexpr std::int64_t kMinQueries = 6;

/// Rows row_begin..row_end-1 are of one sequence.
void add_run(const Attention& op, std::int64_t row_begin, std::int64_t row_end,
             std::int64_t most_queries, std::vector<QueryTile>& tiles) {
  const std::int32_t group = op.heads / op.kv->kv_heads;
  const std::int64_t most = std::min(most_queries, kMaxRows * group);
  const std::int64_t queries = (row_end - row_begin) * group;
  const std::int64_t tile_count = (queries + most - 1) / most;
  for (std::int32_t kv_head = 0; kv_head < op.kv->kv_heads; ++kv_head) {
    for (std::int64_t i = 0; i < tile_count; ++i) {
      const std::int64_t begin = queries * i / tile_count;
      const std::int64_t end = queries * (i + 1) / tile_count;
      QueryTile tile{};
      tile.kv_head = kv_head;
      tile.first_key = INT32_MAX;
      for (std::int64_t query = begin; query < end; ++query) {
        const auto row = static_cast<std::int32_t>(row_begin + query / group);
        const KeyList& keys = op.keys[static_cast<std::size_t>(row)];
        tile.rows[tile.query_count] = row;
        tile.heads[tile.query_count++] = kv_head * group + static_cast<std::int32_t>(query % group);
        tile.first_key = std::min(tile.first_key, keys.first);
        tile.key_end = std::max(tile.key_end, keys.end);
      }
      tile.first_span = tile.first_key / kKeySpan;
      tile.span_end = (tile.key_end + kKeySpan - 1) / kKeySpan;
      tiles.push_back(tile);
    }
  }
}

void make_tiles_of(const Attention& op, std::int64_t most_queries, std::vector<QueryTile>& tiles) {
  tiles.clear();
  const auto rows = static_cast<std::int64_t>(op.keys.size());
  for (std::int64_t begin = 0; begin < rows;) {
    std::int64_t end = begin + 1;
    // One sequence's rows, without a gap between their keys: pages in a gap may be gone.
    const auto joins = [&](std::int64_t row) {
      const KeyList& last = op.keys[static_cast<std::size_t>(row - 1)];
      const KeyList& next = op.keys[static_cast<std::size_t>(row)];
      return next.pages == last.pages && next.first <= last.end && last.first <= next.end;
    };
    while (end < rows && joins(end)) ++end;
    add_run(op, begin, end, most_queries, tiles);
    begin = end;
  }
}

}  // namespace

void make_query_tiles(const Attention& op, std::int64_t least_units,
                      std::vector<QueryTile>& tiles) {
  for (std::int64_t most = kMaxQueries; most >= kMinQueries; most /= 2) {
    make_tiles_of(op, most, tiles);
    std::int64_t units = 0;
    for (const QueryTile& tile : tiles) units += tile.span_end - tile.first_span;
    if (units >= least_units) return;
  }
}

}  // namespace cairn::backend::cpu
