#pragma once
// The bytes of one layer's KV pages. Who owns which page is the cache's business (src/cache); here
// is only where a key or value stands.
//
//   keys    [kv_heads][pages]  [key_dim][page_tokens]    one dimension of all the page's keys side
//                                                        by side, so that they fill SIMD registers
//   values  [kv_heads][pages]  [page_tokens][value_dim]
//
// Heads apart: attention walks one head through all its pages, and memory is read fastest from
// address to address, as pages that were taken one after the other lie.
//
// In q8_0 and q4_0, whose 32 values have a scale of their own, the scales of all the page's
// positions stand first and the codes follow, block after block (32 bytes of codes in q8_0, 16 in
// q4_0: byte j holds value j in its low nibble, value j + 16 in its high one):
//
//   keys    [key_dim / 32]    | f16 scale [page_tokens] | byte 0 [page_tokens] | byte 1 ... |
//   values  [value_dim / 32]  | f16 scale [page_tokens] | position 0 [all its bytes] | 1 ... |
//
// Values are rounded exactly as tensor/formats encodes them, and mean what it decodes.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensor/dtype.h"

namespace cairn::backend {

/// page_tokens is a multiple of this: keys are scored in tiles of 16 lanes, aligned to the key's
/// index in its list.
inline constexpr std::int32_t kKeyTile = 16;
/// Partial results of attention are formed over fixed spans of so many keys and merged in order.
/// A multiple of kKeyTile; independent of page_tokens.
inline constexpr std::int32_t kKeySpan = 256;

/// Why keys or values of `dim` dimensions a head cannot be kept in this type, or empty:
/// "found q4_k, expected ...".
std::string kv_type_problem(DType type, std::int32_t dim);

/// The keys of a layer, or its values, in bytes.
struct KvSide {
  std::byte* memory = nullptr;
  std::int64_t page_count = 0;
  std::int32_t kv_heads = 0;
  std::int32_t page_tokens = 0;
  std::int32_t block_count = 0;  // of a row: parts that stand one after the other in a page's head
  std::int32_t scale_bytes = 0;  // of one row's block; 0: the type has no scales
  std::int32_t code_bytes = 0;   // of one row's block, without its scale
  std::int32_t unit_bytes = 0;   // of these codes stand together; then comes the next position's

  /// From block to block of a page's head.
  std::int64_t block_stride_bytes() const {
    return std::int64_t{page_tokens} * (scale_bytes + code_bytes);
  }
  /// What one head has of a page.
  std::int64_t head_bytes() const { return block_count * block_stride_bytes(); }
  std::int64_t page_bytes() const { return kv_heads * head_bytes(); }
  std::byte* head(std::int64_t page_id, std::int32_t kv_head) const {
    return memory + (kv_head * page_count + page_id) * head_bytes();
  }
  /// Scale and first unit of a position's first block.
  std::byte* scale(std::int64_t page_id, std::int32_t kv_head, std::int64_t offset) const {
    return head(page_id, kv_head) + offset * scale_bytes;
  }
  std::byte* codes(std::int64_t page_id, std::int32_t kv_head, std::int64_t offset) const {
    return head(page_id, kv_head) + page_tokens * scale_bytes + offset * unit_bytes;
  }

  /// One position's row, as its format encodes it: block_count * (scale_bytes + code_bytes) bytes.
  /// A slot is page * page_tokens + offset.
  void store(std::int64_t slot, std::int32_t kv_head, const std::byte* row) const;
  void load(std::int64_t slot, std::int32_t kv_head, std::byte* row) const;
  void copy_page(std::int64_t from, std::int64_t to) const;
};

struct KvLayer {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  DType key_type = DType::f16;  // f32, f16, bf16, q8_0 or q4_0
  DType value_type = DType::f16;
  std::int32_t kv_heads = 0;
  std::int32_t key_dim = 0;
  std::int32_t value_dim = 0;
  std::int32_t page_tokens = kKeyTile;
  std::int64_t page_count = 0;

  KvSide key_side() const;
  KvSide value_side() const;
};

}  // namespace cairn::backend
