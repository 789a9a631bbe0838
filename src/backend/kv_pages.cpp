#include "backend/kv_pages.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tensor/format.h"

namespace cairn::backend {
namespace {

/// Both block types begin with their scale, a half.
constexpr std::int32_t kScaleBytes = 2;
constexpr std::array kTypes = {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0};

bool is_kv_type(DType type) {
  for (const DType known : kTypes) {
    if (known == type) return true;
  }
  return false;
}

struct BlockBytes {
  std::int32_t scale;
  std::int32_t codes;
};
BlockBytes block_bytes(const tensor::Format& format) {
  const auto all = static_cast<std::int32_t>(format.bytes_per_block);
  const std::int32_t scale = format.values_per_block > 1 ? kScaleBytes : 0;
  return {scale, all - scale};
}

/// Copies `count` units of kBytes each (0: of `bytes`), from stride to stride.
template <std::size_t kBytes>
void copy_units(std::byte* to, std::int64_t to_stride, const std::byte* from,
                std::int64_t from_stride, std::int32_t count, std::size_t bytes) {
  for (std::int32_t unit = 0; unit < count; ++unit) {
    std::memcpy(to + unit * to_stride, from + unit * from_stride, kBytes > 0 ? kBytes : bytes);
  }
}

void copy_codes(const KvSide& side, std::byte* to, std::int64_t to_stride, const std::byte* from,
                std::int64_t from_stride) {
  const std::int32_t count = side.code_bytes / side.unit_bytes;
  const auto bytes = static_cast<std::size_t>(side.unit_bytes);
  if (bytes == 1) return copy_units<1>(to, to_stride, from, from_stride, count, bytes);
  if (bytes == 2) return copy_units<2>(to, to_stride, from, from_stride, count, bytes);
  if (bytes == 4) return copy_units<4>(to, to_stride, from, from_stride, count, bytes);
  copy_units<0>(to, to_stride, from, from_stride, count, bytes);
}

}  // namespace

std::string kv_type_problem(DType type, std::int32_t dim) {
  const tensor::Format& format = tensor::format_of(type);
  if (!is_kv_type(type)) {
    return fmt::format("found {}, expected f32, f16, bf16, q8_0 or q4_0", format.name);
  }
  const auto block = static_cast<std::int32_t>(format.values_per_block);
  if (dim % block == 0) return "";
  return fmt::format("{} takes heads of a multiple of {} dimensions, these have {}; use f16",
                     format.name, block, dim);
}

void KvSide::store(std::int64_t slot, std::int32_t kv_head, const std::byte* row) const {
  const std::int64_t page_id = slot / page_tokens;
  const std::int64_t offset = slot % page_tokens;
  std::byte* to_scale = scale(page_id, kv_head, offset);
  std::byte* to_codes = codes(page_id, kv_head, offset);
  const std::int64_t stride = std::int64_t{page_tokens} * unit_bytes;
  for (std::int32_t block = 0; block < block_count; ++block) {
    std::memcpy(to_scale, row, static_cast<std::size_t>(scale_bytes));
    copy_codes(*this, to_codes, stride, row + scale_bytes, unit_bytes);
    row += scale_bytes + code_bytes;
    to_scale += block_stride_bytes();
    to_codes += block_stride_bytes();
  }
}

void KvSide::load(std::int64_t slot, std::int32_t kv_head, std::byte* row) const {
  const std::int64_t page_id = slot / page_tokens;
  const std::int64_t offset = slot % page_tokens;
  const std::byte* from_scale = scale(page_id, kv_head, offset);
  const std::byte* from_codes = codes(page_id, kv_head, offset);
  const std::int64_t stride = std::int64_t{page_tokens} * unit_bytes;
  for (std::int32_t block = 0; block < block_count; ++block) {
    std::memcpy(row, from_scale, static_cast<std::size_t>(scale_bytes));
    copy_codes(*this, row + scale_bytes, unit_bytes, from_codes, stride);
    row += scale_bytes + code_bytes;
    from_scale += block_stride_bytes();
    from_codes += block_stride_bytes();
  }
}

void KvSide::copy_page(std::int64_t from, std::int64_t to) const {
  for (std::int32_t kv_head = 0; kv_head < kv_heads; ++kv_head) {
    std::memcpy(head(to, kv_head), head(from, kv_head), static_cast<std::size_t>(head_bytes()));
  }
}

KvSide KvLayer::key_side() const {
  const tensor::Format& format = tensor::format_of(key_type);
  const auto [scale, codes] = block_bytes(format);
  return {.memory = keys,
          .page_count = page_count,
          .kv_heads = kv_heads,
          .page_tokens = page_tokens,
          .block_count = key_dim / static_cast<std::int32_t>(format.values_per_block),
          .scale_bytes = scale,
          .code_bytes = codes,
          .unit_bytes = scale > 0 ? 1 : codes};
}

KvSide KvLayer::value_side() const {
  const tensor::Format& format = tensor::format_of(value_type);
  const auto [scale, codes] = block_bytes(format);
  const bool has_blocks = scale > 0;
  // Without scales to part them, a whole row stands together.
  const std::int32_t row_codes = has_blocks ? codes : value_dim * codes;
  return {.memory = values,
          .page_count = page_count,
          .kv_heads = kv_heads,
          .page_tokens = page_tokens,
          .block_count =
              has_blocks ? value_dim / static_cast<std::int32_t>(format.values_per_block) : 1,
          .scale_bytes = scale,
          .code_bytes = row_codes,
          .unit_bytes = row_codes};
}

}  // namespace cairn::backend
