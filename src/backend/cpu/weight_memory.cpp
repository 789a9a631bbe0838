#include "backend/cpu/weight_memory.h"

#include <algorithm>

namespace cairn::backend::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
// Blocks double, so that few weights cost little. What a block has left at its end was never
// touched and costs no memory.
constexpr std::size_t kFirstBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBlockBytes = std::size_t{1} << 27;

}  // namespace

std::shared_ptr<std::byte> WeightMemory::allocate(std::size_t size_bytes) {
  const std::size_t padded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t block_bytes = block_ ? block_->size_bytes() : 0;
  if (!block_ || padded > block_bytes - used_bytes_) {
    const std::size_t usual = std::clamp(2 * block_bytes, kFirstBlockBytes, kMostBlockBytes);
    block_ = std::make_shared<Buffer>(std::max(padded, usual));
    used_bytes_ = 0;
  }
  std::shared_ptr<std::byte> part(block_, block_->data() + used_bytes_);
  used_bytes_ += padded;
  return part;
}

}  // namespace cairn::backend::cpu
