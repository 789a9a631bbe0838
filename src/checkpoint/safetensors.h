#pragma once
// safetensors (github.com/huggingface/safetensors):
//
//   u64 header length | JSON header | data
//   header: {"name": {"dtype": "BF16", "shape": [rows, columns], "data_offsets": [begin, end]},
//   ...,
//            "__metadata__": {text: text}}      offsets from the first byte of the data

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace cairn::checkpoint {

/// True if the first bytes could begin such a file: a header that fits and opens with a brace.
bool looks_like_safetensors(std::span<const std::byte> bytes);

/// `file` names the bytes in messages. Views point into `bytes`; in the order of the data. Throws
/// corrupt or unsupported. Thread-safe.
std::vector<NamedTensor> parse_safetensors(std::span<const std::byte> bytes,
                                           const std::string& file);

}  // namespace cairn::checkpoint
