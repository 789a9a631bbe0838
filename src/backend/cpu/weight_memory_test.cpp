#include "backend/cpu/weight_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace cairn::backend::cpu {
namespace {

TEST(WeightMemory, PartsAreAlignedZeroedAndApart) {
  WeightMemory memory;
  std::vector<std::shared_ptr<std::byte>> parts;
  for (std::size_t size_bytes = 1; size_bytes < 3'000'000; size_bytes = size_bytes * 3 + 1) {
    parts.push_back(memory.allocate(size_bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts.back().get()) % 64, 0u) << size_bytes;
    for (std::size_t i = 0; i < size_bytes; ++i) {
      ASSERT_EQ(parts.back().get()[i], std::byte{0}) << size_bytes << " at " << i;
    }
    std::memset(parts.back().get(), 0xFF, size_bytes);
  }
}

TEST(WeightMemory, PartsOutliveIt) {
  std::shared_ptr<std::byte> part;
  {
    WeightMemory memory;
    part = memory.allocate(100);
  }
  std::memset(part.get(), 1, 100);
  EXPECT_EQ(part.get()[99], std::byte{1});
}

TEST(WeightMemory, NothingIsAPartToo) {
  WeightMemory memory;
  EXPECT_NO_THROW(memory.allocate(0));
}

}  // namespace
}  // namespace cairn::backend::cpu
