#include "engine/logits_hash.h"

#include <gtest/gtest.h>

#include <array>

namespace cairn::engine {
namespace {

TEST(LogitsHash, IsXxh64OfTheBytes) {
  // xxhash.xxh64(struct.pack("<4f", 0.0, -0.0, 1.5, -2.25)).hexdigest()
  constexpr std::array<float, 4> kLogits{0.0f, -0.0f, 1.5f, -2.25f};
  EXPECT_EQ(logits_hash(kLogits), 0x0aabf435bb7075c4u);
  EXPECT_EQ(logits_hash({}), 0xef46db3751d8e999u);
}

}  // namespace
}  // namespace cairn::engine
