#pragma once
// Grouped-query attention over pages: softmax(scale * q k) v for each row and head.

#include <vector>

#include "backend/backend.h"
#include "base/thread_pool.h"

namespace cairn::backend::reference {

/// One worker's memory.
struct AttentionScratch {
  std::vector<float> page;    // of one page and KV head: keys [key_dim][page_tokens], or values
  std::vector<float> row;     // one position's
  std::vector<float> scores;  // [query heads of the KV head, keys of the row]
  std::vector<std::byte> encoded;
};

void attend(base::ThreadPool& threads, std::vector<AttentionScratch>& scratch, const Attention& op);

}  // namespace cairn::backend::reference
