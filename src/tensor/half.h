#pragma once
// 16-bit floats in software: IEEE 754 binary16 and bfloat16, to and from float. Rounding is to
// nearest, ties to even; subnormals, infinities and NaN are exact. Needs the default rounding mode
// and does not depend on whether the processor flushes subnormals.
//
//   binary16   s eeeee mmmmmmmmmm     exponent bias 15
//   bfloat16   s eeeeeeee mmmmmmm     the upper half of a float

#include <bit>
#include <cstdint>

namespace cairn::tensor {

inline constexpr float kHalfMax = 65504.0f;  // (2 - 2^-10) * 2^15

constexpr float half_to_float(std::uint16_t half) {
  constexpr std::uint32_t kRebias = (127u - 15u) << 23;
  constexpr std::uint32_t kSmallestNormal = 0x0400u << 13;
  constexpr std::uint32_t kInfinity = 0x7C00u << 13;
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t shifted = (half & 0x7FFFu) << 13;
  // m * 2^-24 = (1 + m / 2^10) * 2^-14 - 2^-14: both operands are normal floats, the result exact.
  const float raised = std::bit_cast<float>(shifted + kRebias + (1u << 23)) - 0x1p-14f;
  std::uint32_t bits = shifted + kRebias;
  if (shifted < kSmallestNormal) bits = std::bit_cast<std::uint32_t>(raised);
  if (shifted >= kInfinity) bits = shifted + 2 * kRebias;
  return std::bit_cast<float>(bits | sign);
}

constexpr std::uint16_t float_to_half(float value) {
  constexpr std::uint32_t kInfinity = 0xFFu << 23;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7E00u | ((magnitude >> 13) & 0x3FFu);  // a quiet NaN with the payload's upper bits
  } else if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) {
    half = 0x7C00u;  // from half a step above kHalfMax on
  } else if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // One step of a float in [0.5, 1) is one step of a subnormal half: the addition rounds.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<std::uint32_t>(rounded) - std::bit_cast<std::uint32_t>(0.5f);
  } else {
    const std::uint32_t is_odd = (magnitude >> 13) & 1u;
    half = (magnitude - ((127u - 15u) << 23) + 0xFFFu + is_odd) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

constexpr float bfloat16_to_float(std::uint16_t bfloat16) {
  return std::bit_cast<float>(std::uint32_t{bfloat16} << 16);
}

constexpr std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7FFFFFFFu) > (0xFFu << 23);
  if (is_nan) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // quiet
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace cairn::tensor
