#pragma once
// How large a tensor is, and whether tensors share bytes: the same checks for every file format.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "tensor/tensor.h"

namespace cairn::checkpoint {

/// Bytes of a row-major tensor in blocks along its innermost dimension. Nullopt: it does not fit 63
/// bits, or a row is no multiple of the block. Dimensions are outermost first, none negative.
std::optional<std::uint64_t> extent_bytes(std::span<const std::int64_t> dimensions,
                                          std::uint32_t values_per_block,
                                          std::uint32_t bytes_per_block);

/// REQUIRES: dimensions.size() <= Shape::kMaxRank.
Shape make_shape(std::span<const std::int64_t> dimensions);

/// Throws corrupt if two tensors share a byte. `file` names them in the message.
void refuse_overlaps(std::span<const NamedTensor> tensors, const std::string& file);

/// Throws corrupt if two tensors have one name.
void refuse_duplicates(std::span<const NamedTensor> tensors, const std::string& file);

}  // namespace cairn::checkpoint
