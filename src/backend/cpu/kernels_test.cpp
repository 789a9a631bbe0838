// Kernels over single values: accuracy of exp and tanh, rounding to 16 bits, choice of the ISA.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/test_support.h"
#include "base/error.h"

namespace cairn::backend::cpu {
namespace {

class EachTable : public testing::TestWithParam<int> {
 protected:
  const KernelTable& table() const { return *usable_isas().tables[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(Cpu, EachTable, testing::Range(0, usable_isas().count));

/// Values from -limit to limit, denser near zero, their count no multiple of eight.
std::vector<float> sweep(float limit) {
  std::vector<float> values = {0.0F};
  for (float x = 1e-6F; x < limit; x *= 1.003F) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

TEST_P(EachTable, TanhIsAccurateEverywhere) {
  const std::vector<float> x = sweep(40);
  std::vector<float> y = x;
  table().scale_and_cap(y.data(), static_cast<std::int64_t>(y.size()), 1, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::tanh(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i], expected, 2.5e-7 * std::fabs(expected)) << x[i];
  }
}

TEST_P(EachTable, SiluIsAccurate) {
  const std::vector<float> x = sweep(200);
  std::vector<float> y = x;
  const std::vector<float> ones(x.size(), 1.0F);
  table().silu_gated(y.data(), ones.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = static_cast<double>(x[i]) / (1 + std::exp(-static_cast<double>(x[i])));
    ASSERT_NEAR(y[i], exact, 4e-7 * std::fabs(exact) + 1e-35) << x[i];
  }
}

TEST_P(EachTable, GeluIsAccurate) {
  const std::vector<float> x = sweep(50);
  std::vector<float> y = x;
  const std::vector<float> twos(x.size(), 2.0F);
  table().gelu_gated(y.data(), twos.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto v = static_cast<double>(x[i]);
    const double exact =
        v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)));
    ASSERT_NEAR(y[i], exact, 1e-6 * std::fabs(exact) + 4e-7) << x[i];
  }
}

TEST_P(EachTable, AValueDoesNotDependOnItsPlaceInTheRow) {
  const std::vector<float> x = sweep(20);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<float> part(x.begin() + 100, x.begin() + 100 + static_cast<std::ptrdiff_t>(count));
    table().scale_and_cap(part.data(), static_cast<std::int64_t>(count), 1.7F, 3);
    for (std::size_t i = 0; i < count; ++i) {
      float one = x[100 + i];
      table().scale_and_cap(&one, 1, 1.7F, 3);
      ASSERT_EQ(one, part[i]);
    }
  }
}

TEST_P(EachTable, RoundsToSixteenBitsAsTheFormatsDo) {
  std::vector<float> x = sweep(65000);
  for (float tiny = 1e-10F; tiny < 1e-3F; tiny *= 1.01F) x.push_back(-tiny);
  for (int i = 0; i < 2048; ++i) {  // halfway between two halves, a bit below and above
    const float half = tensor::half_to_float(static_cast<std::uint16_t>(7 * i));
    const float next = tensor::half_to_float(static_cast<std::uint16_t>(7 * i + 1));
    const float middle = (half + next) / 2;
    for (const float value : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
      x.push_back(value);
    }
  }
  std::vector<std::uint16_t> f16(x.size());
  std::vector<std::uint16_t> bf16(x.size());
  table().to_f16(x.data(), static_cast<std::int64_t>(x.size()), f16.data());
  table().to_bf16(x.data(), static_cast<std::int64_t>(x.size()), bf16.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(f16[i], tensor::float_to_half(x[i])) << x[i];
    ASSERT_EQ(bf16[i], tensor::float_to_bfloat16(x[i])) << x[i];
  }
}

TEST_P(EachTable, HalvesThatAreTooLargeSaturate) {
  const float x[] = {65504.0F, 65520.0F, 1e30F, -1e30F, std::numeric_limits<float>::infinity()};
  std::uint16_t halves[5];
  table().to_f16(x, 5, halves);
  EXPECT_THAT(halves, testing::ElementsAre(0x7BFF, 0x7BFF, 0x7BFF, 0xFBFF, 0x7BFF));
}

TEST_P(EachTable, EncodesBlocksAsTheFormatsDo) {
  std::vector<float> x = sweep(3e5F);
  Draws draws(9);
  for (int i = 0; i < 3200; ++i) x.push_back(draws.normal());
  for (int i = 0; i < 640; ++i) {  // ties: multiples of half a step of a block whose largest is 127
    x.push_back(i % 32 == 7 ? 127.0F : 0.5F * static_cast<float>(i % 255 - 127));
  }
  for (int i = 0; i < 64; ++i) x.push_back(i % 3 == 0 ? -2.5F : 2.5F);  // the largest twice
  for (int i = 0; i < 32; ++i) x.push_back(i == 3 ? 1e-42F : 0.0F);
  for (int i = 0; i < 32; ++i) x.push_back(std::nextafter(0.5F, 0.0F) * (i == 0 ? 254 : 1));
  x.push_back(std::numeric_limits<float>::infinity());
  x.push_back(-1e30F);
  x.resize((x.size() + 31) / 32 * 32);
  const auto size = static_cast<std::int64_t>(x.size());
  for (const DType type : {DType::q8_0, DType::q4_0}) {
    const tensor::Format& format = tensor::format_of(type);
    std::vector<std::byte> expected(x.size() / 32 * format.bytes_per_block);
    std::vector<std::byte> found(expected.size());
    format.encode(x.data(), expected.data(), x.size() / 32);
    (type == DType::q8_0 ? table().to_q8_0 : table().to_q4_0)(x.data(), size, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i], expected[i])
          << format.name << " byte " << i << " of " << x[i / format.bytes_per_block * 32];
    }
  }
}

TEST_P(EachTable, QuantizesToTheNearestAndSumsUp) {
  Draws draws(4);
  float x[96];
  for (float& value : x) value = draws.normal();
  for (int i = 16; i < 32; ++i) x[i] *= 10;
  for (int i = 32; i < 48; ++i) x[i] *= 1000;  // the other half is at its finest step
  for (int i = 64; i < 96; ++i) x[i] = i == 70 ? 1e-35F : 0.0F;  // too small to divide by
  ActivationBlock blocks[3];
  table().quantize(x, 96, blocks);
  for (int b = 0; b < 2; ++b) {
    const ActivationBlock& block = blocks[b];
    float sums[2] = {};
    for (int i = 0; i < 32; ++i) {
      const int half = i / 16;
      const auto multiplier = static_cast<float>(block.multipliers[half]);
      const float scale = block.half_scales[half];
      EXPECT_EQ(scale, block.scale * multiplier);
      EXPECT_NEAR(scale * static_cast<float>(block.values[i]), x[32 * b + i], 0.75F * scale);
      sums[half] += static_cast<float>(block.values[i]);
    }
    EXPECT_EQ(block.multipliers[b == 0 ? 1 : 0], 127);
    EXPECT_EQ(block.low_scaled_sum, block.half_scales[0] * sums[0]);
    for (const int half : {0, 1}) {
      EXPECT_EQ(static_cast<float>(block.minus_128_times[half]), -128 * sums[half]);
    }
    EXPECT_EQ(block.scaled_sum, block.low_scaled_sum + block.half_scales[1] * sums[1]);
  }
  EXPECT_EQ(blocks[1].multipliers[1], 1);
  EXPECT_EQ(blocks[2].scale, 0.0F);
  EXPECT_EQ(blocks[2].values[6], 0);
}

TEST(SelectIsa, TakesTheBestUnlessOneIsNamed) {
  unsetenv("CAIRN_ISA");
  EXPECT_EQ(&select_isa(), usable_isas().tables[0]);
  setenv("CAIRN_ISA", "portable", 1);
  EXPECT_STREQ(select_isa().name, "portable");
  unsetenv("CAIRN_ISA");
}

TEST(SelectIsa, RefusesAnUnknownName) {
  setenv("CAIRN_ISA", "avx1024", 1);
  try {
    select_isa();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_THAT(error.message(), testing::HasSubstr("CAIRN_ISA=avx1024"));
    EXPECT_THAT(error.message(), testing::HasSubstr("portable"));
  }
  unsetenv("CAIRN_ISA");
}

}  // namespace
}  // namespace cairn::backend::cpu
