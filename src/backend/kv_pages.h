#pragma once
// The bytes of one layer's KV pages. Who owns which page is the cache's business (src/cache); here
// is only where a key or value stands.
//
//   keys    page p, KV head h:  [key_dim][page_tokens]   one dimension of all the page's keys side
//   by
//                                                        side, so that they fill SIMD registers
//   values  page p, KV head h:  [page_tokens][value_dim]

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace cairn::backend {

/// page_tokens is a multiple of this: keys are scored in tiles of 16 lanes, aligned to the key's
/// index in its list.
inline constexpr std::int32_t kKeyTile = 16;
/// Partial results of attention are formed over fixed spans of so many keys and merged in order.
/// A multiple of kKeyTile; independent of page_tokens.
inline constexpr std::int32_t kKeySpan = 256;

struct KvLayer {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  DType key_type = DType::f16;  // f32, f16 or bf16
  DType value_type = DType::f16;
  std::int32_t kv_heads = 0;
  std::int32_t key_dim = 0;
  std::int32_t value_dim = 0;
  std::int32_t page_tokens = kKeyTile;

  /// Index, in values, of the first element of a page's head.
  std::int64_t key_base(std::int64_t page, std::int32_t head) const {
    return (page * kv_heads + head) * key_dim * page_tokens;
  }
  std::int64_t value_base(std::int64_t page, std::int32_t head) const {
    return (page * kv_heads + head) * value_dim * page_tokens;
  }
};

}  // namespace cairn::backend
