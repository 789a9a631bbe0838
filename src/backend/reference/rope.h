#pragma once
// Rotary position embedding (Su et al., "RoFormer", 2021): a table of cosines and sines per row,
// and the turn of one head by one row of it.

#include <cstdint>

#include "backend/backend.h"

namespace cairn::backend::reference {

/// Fills op.table as backend.h says.
void fill_rope_table(const RopeTable& op);

/// Turns the first n values of `head` by table_row = n/2 cosines, then n/2 sines:
/// (a, b) -> (a cos - b sin, b cos + a sin) for each pair.
void rotate(float* head /*[>= n]*/, const float* table_row /*[n]*/, std::int64_t n,
            RopePairs pairs);

}  // namespace cairn::backend::reference
