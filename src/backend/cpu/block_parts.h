#pragma once
// Blocks of a file taken apart into codes and scales, format by format (tensor/formats draws them).

#include <cstddef>
#include <cstdint>

namespace cairn::backend::cpu {

/// A block: 32 or 256 values of one row. What a format does not have stays as it was.
struct BlockParts {
  alignas(32) std::uint8_t codes[256];
  std::uint8_t scales[16];
  std::uint8_t offsets[16];
  std::uint16_t d;
  std::uint16_t minimum;
};

void take_q4_0(const std::byte* block, BlockParts& parts);
void take_q4_1(const std::byte* block, BlockParts& parts);
void take_q5_0(const std::byte* block, BlockParts& parts);
void take_q5_1(const std::byte* block, BlockParts& parts);
void take_q8_0(const std::byte* block, BlockParts& parts);
void take_mxfp4(const std::byte* block, BlockParts& parts);
void take_q4_k(const std::byte* block, BlockParts& parts);
void take_q5_k(const std::byte* block, BlockParts& parts);
void take_q6_k(const std::byte* block, BlockParts& parts);
void take_q3_k(const std::byte* block, BlockParts& parts);
void take_q2_k(const std::byte* block, BlockParts& parts);
void take_iq4_xs(const std::byte* block, BlockParts& parts);

}  // namespace cairn::backend::cpu
