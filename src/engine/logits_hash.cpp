#include "engine/logits_hash.h"

#include <xxhash.h>

#include <bit>

namespace cairn::engine {

static_assert(std::endian::native == std::endian::little);

std::uint64_t logits_hash(std::span<const float> logits) {
  return XXH64(logits.data(), logits.size_bytes(), 0);
}

}  // namespace cairn::engine
