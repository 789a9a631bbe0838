#pragma once
// The best that a prefix cache of pages could do with the requests of a run, in their order and at
// their times: it knows the future and evicts the leaf that is used again last (Belady, "A study of
// replacement algorithms for a virtual-storage computer", IBM Systems Journal 1966; of leaves only,
// since a prefix is of use only with what stands before it).

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace cairn::simulation {

struct TracedRequest {
  std::vector<TokenId> tokens;  // prompt and what was generated
  std::int32_t prompt_tokens = 0;
  double started = 0;   // in a step that ended then
  double computed = 0;  // its prompt
  double ended = 0;
};

struct ClairvoyantHits {
  std::int64_t tokens = 0;      // of prompts, found in the cache: whole pages
  std::int64_t page_count = 0;  // that hold different tokens, in all requests
};

ClairvoyantHits clairvoyant_hits(const std::vector<TracedRequest>& requests,
                                 std::int32_t page_count, std::int32_t page_tokens);

}  // namespace cairn::simulation
