#pragma once
// GGUF, versions 2 and 3 (github.com/ggml-org/ggml, docs/gguf.md). All numbers little endian.
//
//   "GGUF" | u32 version | i64 tensor count | i64 key count
//   keys:    text name | i32 type | value            text = u64 length, bytes
//            list value = i32 item type | u64 count | items
//   tensors: text name | u32 rank | i64 dimensions (innermost first) | i32 type | u64 offset
//   zeros up to a multiple of general.alignment
//   data:    each tensor at its offset from here, a multiple of the alignment

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace cairn::checkpoint {

struct GgufContent {
  Metadata metadata;
  std::vector<NamedTensor> tensors;  // views into the bytes given
};

bool looks_like_gguf(std::span<const std::byte> bytes);

/// `file` names the bytes in messages. Throws corrupt or unsupported. Thread-safe.
GgufContent parse_gguf(std::span<const std::byte> bytes, const std::string& file);

}  // namespace cairn::checkpoint
