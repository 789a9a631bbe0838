#pragma once
// What all block formats share: turning functions on one block into a Format record, and fields of
// a few bits packed into bytes.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tensor/format.h"
#include "tensor/half.h"

namespace cairn::tensor::formats {

static_assert(std::endian::native == std::endian::little, "GGUF's blocks are little-endian");

/// The record of a format whose Block is a trivially copyable struct without padding. Blocks in a
/// file may be unaligned, so each is copied.
template <class Block, std::uint32_t kValues, void (*decode_block)(const Block&, float*),
          void (*encode_block)(const float*, Block&)>
constexpr Format block_format(DType dtype, std::string_view name) {
  static_assert(std::is_trivially_copyable_v<Block>);
  return {.dtype = dtype,
          .name = name,
          .values_per_block = kValues,
          .bytes_per_block = sizeof(Block),
          .decode =
              [](const std::byte* blocks, float* values, std::size_t block_count) {
                for (std::size_t i = 0; i < block_count; ++i) {
                  Block block;
                  std::memcpy(&block, blocks + i * sizeof(Block), sizeof(Block));
                  decode_block(block, values + i * kValues);
                }
              },
          .encode =
              [](const float* values, std::byte* blocks, std::size_t block_count) {
                for (std::size_t i = 0; i < block_count; ++i) {
                  Block block{};
                  encode_block(values + i * kValues, block);
                  std::memcpy(blocks + i * sizeof(Block), &block, sizeof(Block));
                }
              }};
}

// Planes: a run of kRunBytes bytes holds 8 / kBits planes of kRunBytes values each.
//
//   byte l of a run     | plane 3 | plane 2 | plane 1 | plane 0 |      (kBits = 2)
//   value p * kRunBytes + l of the run = plane p of byte l

/// values[count] from packed[count * kBits / 8].
template <int kBits, int kRunBytes>
void unpack_planes(const std::uint8_t* packed, std::uint8_t* values, int count) {
  constexpr int kRunValues = kRunBytes * 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  for (int run = 0; run < count / kRunValues; ++run) {
    for (int plane = 0; plane < 8 / kBits; ++plane) {
      for (int byte = 0; byte < kRunBytes; ++byte) {
        values[run * kRunValues + plane * kRunBytes + byte] =
            static_cast<std::uint8_t>((packed[run * kRunBytes + byte] >> (kBits * plane)) & kMask);
      }
    }
  }
}

/// packed[count * kBits / 8], zero before, from the kBits bits of values[count] above `shift`.
template <int kBits, int kRunBytes>
void pack_planes(const std::uint8_t* values, std::uint8_t* packed, int count, int shift = 0) {
  constexpr int kRunValues = kRunBytes * 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  for (int index = 0; index < count; ++index) {
    const int run = index / kRunValues;
    const int plane = index % kRunValues / kRunBytes;
    const unsigned field = (static_cast<unsigned>(values[index]) >> shift) & kMask;
    std::uint8_t& byte = packed[run * kRunBytes + index % kRunBytes];
    byte = static_cast<std::uint8_t>(byte | (field << (kBits * plane)));
  }
}

/// 1 / scale, or 0 where that is not finite: a block of zeros, or values too small for the format.
inline float inverse_or_zero(float scale) {
  const float inverse = 1.0f / scale;
  return std::isfinite(inverse) ? inverse : 0.0f;
}

/// A scale as a half; what is too large becomes the largest finite one.
inline std::uint16_t scale_to_half(float scale) {
  return float_to_half(std::clamp(scale, -kHalfMax, kHalfMax));
}

/// Truncates towards zero into [0, limit]; NaN gives 0.
inline std::uint8_t truncate_to(float value, float limit) {
  return static_cast<std::uint8_t>(std::min(std::max(0.0f, value), limit));
}

/// The first value of the largest magnitude, with its sign.
inline float extreme_of(const float* values, int count) {
  float extreme = values[0];
  for (int i = 1; i < count; ++i) {
    if (std::fabs(values[i]) > std::fabs(extreme)) extreme = values[i];
  }
  return extreme;
}

/// Scale of x = scale * (q - levels), 0 <= q < 2 * levels: the value of the largest magnitude gets
/// the far end, q = 0. The inverse is that of the scale before it is rounded to a half.
struct SignedSteps {
  std::uint16_t scale = 0;
  float inverse = 0.0f;
};
inline SignedSteps signed_steps(const float* values, int count, int levels) {
  const float step = extreme_of(values, count) / -static_cast<float>(levels);
  const float held = std::clamp(step, -kHalfMax, kHalfMax);
  return {float_to_half(held), inverse_or_zero(held)};
}

/// Scale and minimum of x = scale * q + minimum, 0 <= q <= steps.
struct OffsetSteps {
  std::uint16_t scale = 0;
  std::uint16_t minimum_half = 0;
  float inverse = 0.0f;
  float minimum = 0.0f;
};
inline OffsetSteps offset_steps(const float* values, int count, int steps) {
  const auto [lowest, highest] = std::minmax_element(values, values + count);
  const float minimum = std::clamp(*lowest, -kHalfMax, kHalfMax);
  const float step = (*highest - minimum) / static_cast<float>(steps);
  const float held = std::min(step, kHalfMax);
  return {float_to_half(held), float_to_half(minimum), inverse_or_zero(held), minimum};
}

}  // namespace cairn::tensor::formats
