#pragma once
// The fingerprint of a row of logits, for tests of exactness.

#include <cstdint>
#include <span>

namespace cairn::engine {

/// XXH64, seed 0, over the bytes of the little-endian f32 values.
std::uint64_t logits_hash(std::span<const float> logits);

}  // namespace cairn::engine
