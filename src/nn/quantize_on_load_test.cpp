#include "nn/quantize_on_load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace cairn::nn {
namespace {

std::vector<float> random_values(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(
        base::uniform_draw(5, 0, static_cast<std::uint32_t>(i), base::DrawPurpose::test) - 0.5);
  }
  return values;
}

backend::WeightView view_of(const std::vector<float>& values, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  return {"w", {DType::f32, {rows, columns}, reinterpret_cast<const std::byte*>(values.data())}};
}

TEST(QuantizeOnLoad, PicksTheFormatThatDivides) {
  const std::vector<float> values(2 * 256);
  const auto target = [&](std::int64_t columns, DType wanted) {
    return target_format(view_of(values, columns), {.quantize_to = wanted});
  };
  EXPECT_EQ(target(256, DType::none), DType::f32);
  EXPECT_EQ(target(256, DType::q4_k), DType::q4_k);
  EXPECT_EQ(target(64, DType::q4_k), DType::q8_0);  // no multiple of 256
  EXPECT_EQ(target(16, DType::q4_k), DType::f32);   // nor of 32
  EXPECT_EQ(target(64, DType::q4_0), DType::q4_0);
}

TEST(QuantizeOnLoad, LeavesWhatIsQuantizedAlready) {
  const std::vector<std::byte> blocks(34);
  const backend::WeightView view{"w", {DType::q8_0, {1, 32}, blocks.data()}};
  EXPECT_EQ(target_format(view, {.quantize_to = DType::q4_0}), DType::q8_0);
}

TEST(QuantizeOnLoad, ThreadsChangeNoByteAndValuesStayClose) {
  const auto values = random_values(7 * 64);
  const auto view = view_of(values, 64);
  base::ThreadPool threads(2);
  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  const Context context{threads, clock, log};
  const Buffer alone = encode_as(view, DType::q8_0, {});
  const Buffer shared = encode_as(view, DType::q8_0, {.context = &context});
  ASSERT_EQ(alone.size_bytes(), shared.size_bytes());
  EXPECT_EQ(std::memcmp(alone.data(), shared.data(), alone.size_bytes()), 0);
  std::vector<float> decoded(values.size());
  tensor::decode_to_floats({DType::q8_0, {7, 64}, alone.data()}, decoded);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(decoded[i], values[i], 0.0023);  // half a step, and the rounding of its f16 scale
  }
}

}  // namespace
}  // namespace cairn::nn
