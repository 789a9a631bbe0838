// MXFP4 (OCP Microscaling Formats 1.0): 32 values e2m1, one power of two: x = 2^(e - 127) * value.
//
//   0      1                                 17 bytes
//   | e    | nibbles                         |
//    byte   byte j: low = q[j], high = q[j + 16]
//
//   q: | sign | exponent (2) | mantissa (1) |, values 0 0.5 1 1.5 2 3 4 6, negated from 8 on

#include <array>

#include "tensor/formats/block.h"

namespace cairn::tensor::formats {
namespace {

struct Block {
  std::uint8_t e;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(Block) == 17);

/// Twice the values, so that they are integers. The first eight ascend.
constexpr std::array<std::int8_t, 16> kTwice = {0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};
constexpr float kLargest = 6.0f;

/// 2^(e - 128), half the block's scale; subnormal for e < 2.
float half_scale(std::uint8_t e) {
  return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1u) << 23);
}

void decode_block(const Block& block, float* values) {
  const float d = half_scale(block.e);
  std::uint8_t q[32];
  unpack_planes<4, 16>(block.nibbles, q, 32);
  for (int i = 0; i < 32; ++i) values[i] = d * static_cast<float>(kTwice[q[i]]);
}

std::uint8_t nearest(float value, float half_scale_of_block) {
  std::uint8_t best = 0;
  for (std::uint8_t q = 1; q < 8; ++q) {
    const float lower = static_cast<float>(kTwice[best]) * half_scale_of_block;
    const float upper = static_cast<float>(kTwice[q]) * half_scale_of_block;
    if (std::fabs(std::fabs(value) - upper) < std::fabs(std::fabs(value) - lower)) best = q;
  }
  return best != 0 && std::signbit(value) ? static_cast<std::uint8_t>(best + 8) : best;
}

double squared_error(const float* values, std::uint8_t e) {
  const float d = half_scale(e);
  double error = 0.0;
  for (int i = 0; i < 32; ++i) {
    const double difference =
        static_cast<double>(values[i]) - static_cast<double>(d) * kTwice[nearest(values[i], d)];
    error += difference * difference;
  }
  return error;
}

/// The smallest power of two that cuts no value, or its half, which may cut the largest but is
/// finer.
std::uint8_t best_exponent(const float* values) {
  const float extreme = std::fabs(extreme_of(values, 32));
  if (extreme == 0.0f) return 0;
  int exponent = 0;
  const float fraction = std::frexp(extreme / kLargest, &exponent);
  if (fraction == 0.5f) --exponent;  // extreme is exactly a power of two times the largest value
  const auto whole = static_cast<std::uint8_t>(std::clamp(exponent + 127, 0, 254));
  if (whole == 0) return whole;
  const auto finer = static_cast<std::uint8_t>(whole - 1);
  return squared_error(values, finer) < squared_error(values, whole) ? finer : whole;
}

void encode_block(const float* values, Block& block) {
  block.e = best_exponent(values);
  const float d = half_scale(block.e);
  std::uint8_t q[32];
  for (int i = 0; i < 32; ++i) q[i] = nearest(values[i], d);
  pack_planes<4, 16>(q, block.nibbles, 32);
}

}  // namespace

extern const Format mxfp4;
const Format mxfp4 = block_format<Block, 32, decode_block, encode_block>(DType::mxfp4, "mxfp4");

}  // namespace cairn::tensor::formats
