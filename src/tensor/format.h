#pragma once
// A number format is one record: its block layout, encode and decode. formats.cpp holds the table,
// one line a format; formats/x.cpp holds one format each. Kernels are found by DType in the table
// that a backend keeps. All functions are thread-safe.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/dtype.h"

namespace cairn::tensor {

struct Format {
  DType dtype = DType::none;
  std::string_view name;  // as GGUF tools print it, in lower case: "q4_k"
  std::uint32_t values_per_block = 1;
  std::uint32_t bytes_per_block = 0;
  /// values[block_count * values_per_block] from blocks[block_count * bytes_per_block].
  void (*decode)(const std::byte* blocks, float* values, std::size_t block_count) = nullptr;
  /// The inverse, to the nearest representable block. Null: this format is only read.
  void (*encode)(const float* values, std::byte* blocks, std::size_t block_count) = nullptr;
};

/// All formats that decode here.
std::span<const Format> all_formats();

/// The record of a supported format. CHECKs that there is one: files are checked when they are
/// read.
const Format& format_of(DType dtype);

/// The record for a name ("q8_0", any case), or null.
const Format* find_format(std::string_view name);

/// What is known of a GGUF type id, supported or not.
struct GgufType {
  std::uint32_t id = 0;
  std::string_view name;
  std::uint32_t values_per_block = 0;
  std::uint32_t bytes_per_block = 0;
  const Format* format = nullptr;  // null: known by name and size, but not decoded here
};

/// Null for an id that was never assigned. Ids that GGUF has given up are still known.
const GgufType* find_gguf_type(std::uint32_t id);

/// The name of a type that only the fork ik_llama.cpp writes, or empty: for an error that says so.
std::string_view find_ik_llama_type(std::uint32_t id);

}  // namespace cairn::tensor
