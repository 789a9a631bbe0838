#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace cairn::tensor {
namespace {

TEST(Buffer, IsZeroedAndAlignedSmallAndLarge) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20, (std::size_t{5} << 20) + 1}) {
    const Buffer buffer(size);
    EXPECT_EQ(buffer.size_bytes(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    EXPECT_TRUE(std::all_of(buffer.data(), buffer.data() + size,
                            [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST(Buffer, PagesOfAnySizeHoldTheSame) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{9} << 20}) {
    const Buffer buffer(size);
    buffer.use_small_pages();
    for (std::size_t i = 0; i < size; i += 4099) buffer.data()[i] = std::byte{7};
    buffer.use_large_pages();
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(buffer.data()[i], std::byte{i % 4099 == 0 ? std::uint8_t{7} : std::uint8_t{0}})
          << i << " of " << size;
    }
  }
}

TEST(Buffer, MovesAndLeavesNothingBehind) {
  Buffer from(64);
  std::byte* data = from.data();
  const Buffer to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to.size_bytes(), 64u);
  EXPECT_EQ(from.size_bytes(), 0u);  // NOLINT(bugprone-use-after-move): the contract
  EXPECT_EQ(Buffer().size_bytes(), 0u);
}

TEST(Buffer, TooLargeIsAnErrorAndNotACrash) {
  for (const std::size_t size : {std::size_t{1} << 60, ~std::size_t{0}}) {
    try {
      Buffer buffer(size);
      FAIL() << "allocated";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    }
  }
}

TEST(Tensor, SizesFollowTheFormat) {
  const ConstTensor tensor{DType::q4_k, Shape{3, 512}, nullptr};
  EXPECT_EQ(tensor.row_bytes(), 2u * 144u);
  EXPECT_EQ(tensor.size_bytes(), 3u * 2u * 144u);
  EXPECT_EQ(tensor.rows(), 3);
}

TEST(Tensor, DecodesToFloats) {
  std::vector<float> values(64);
  std::iota(values.begin(), values.end(), -32.0f);
  std::vector<std::byte> halves(values.size() * 2);
  format_of(DType::f16).encode(values.data(), halves.data(), values.size());
  std::vector<float> decoded(values.size());
  decode_to_floats({DType::f16, Shape{2, 32}, halves.data()}, decoded);
  EXPECT_EQ(decoded, values);
}

}  // namespace
}  // namespace cairn::tensor
