// Every format against golden blocks of an independent decoder (tools/make_format_goldens.py), and
// the properties that hold for any values.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tensor/format.h"
#include "tensor/half.h"

namespace cairn::tensor {
namespace {

using Bytes = std::vector<std::byte>;
using Floats = std::vector<float>;

struct Pair {
  Bytes bytes;
  Floats floats;
};
struct Golden {
  std::string header;
  std::vector<Pair> decoded;  // block -> values
  std::vector<Pair> encoded;  // input -> block
};

Bytes from_hex(const std::string& hex) {
  Bytes bytes(hex.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

Floats floats_from_hex(const std::string& hex) {
  const Bytes bytes = from_hex(hex);
  Floats floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

Golden read_golden(std::string_view name) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR "/tests/cases/formats/") + std::string(name) +
                     ".txt");
  Golden golden;
  std::getline(file, golden.header);
  std::string word;
  std::string hex;
  Pair pair;
  while (file >> word >> hex) {
    if (word == "block" || word == "encoded") pair.bytes = from_hex(hex);
    if (word == "values" || word == "input") pair.floats = floats_from_hex(hex);
    if (word == "values") golden.decoded.push_back(pair);
    if (word == "encoded") golden.encoded.push_back(pair);
  }
  return golden;
}

Floats decode(const Format& format, const Bytes& blocks) {
  const std::size_t count = blocks.size() / format.bytes_per_block;
  Floats values(count * format.values_per_block);
  format.decode(blocks.data(), values.data(), count);
  return values;
}

Bytes encode(const Format& format, const Floats& values) {
  const std::size_t count = values.size() / format.values_per_block;
  Bytes blocks(count * format.bytes_per_block);
  format.encode(values.data(), blocks.data(), count);
  return blocks;
}

std::vector<std::uint32_t> bits_of(const Floats& values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

Floats normal_values(std::size_t count, float deviation, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution(0.0f, deviation);
  Floats values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

double root_mean_square_difference(const Floats& a, const Floats& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(a.size()));
}

class FormatTest : public testing::TestWithParam<const Format*> {
 protected:
  const Format& format = *GetParam();
};

std::vector<const Format*> every_format() {
  std::vector<const Format*> pointers;
  for (const Format& format : all_formats()) pointers.push_back(&format);
  return pointers;
}

INSTANTIATE_TEST_SUITE_P(All, FormatTest, testing::ValuesIn(every_format()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(FormatTest, GoldenBlocksDecodeToTheSameBits) {
  const Golden golden = read_golden(format.name);
  EXPECT_EQ(golden.header, fmt::format("format {} {} {}", format.name, format.values_per_block,
                                       format.bytes_per_block));
  ASSERT_FALSE(golden.decoded.empty());
  for (const Pair& pair : golden.decoded) {
    EXPECT_EQ(bits_of(decode(format, pair.bytes)), bits_of(pair.floats));
  }
}

TEST_P(FormatTest, GoldenInputsEncodeToTheSameBytes) {
  const Golden golden = read_golden(format.name);
  for (std::size_t i = 0; i < golden.encoded.size(); ++i) {
    EXPECT_EQ(encode(format, golden.encoded[i].floats), golden.encoded[i].bytes) << "input " << i;
  }
}

TEST_P(FormatTest, BlocksAreIndependentAndMayBeUnaligned) {
  const Floats values = normal_values(3 * format.values_per_block, 1.0f, 1);
  const Bytes blocks = encode(format, values);
  const Floats together = decode(format, blocks);
  Bytes shifted(blocks.size() + 1);
  std::memcpy(shifted.data() + 1, blocks.data(), blocks.size());
  for (std::size_t i = 0; i < 3; ++i) {
    Floats alone(format.values_per_block);
    format.decode(shifted.data() + 1 + i * format.bytes_per_block, alone.data(), 1);
    const auto first = together.begin() + static_cast<std::ptrdiff_t>(i * alone.size());
    EXPECT_EQ(alone, Floats(first, first + static_cast<std::ptrdiff_t>(alone.size())));
  }
}

// What a block can say is found again: exactly where the scale follows from the extremes, else to
// well below the error of the first encoding.
TEST_P(FormatTest, EncodingWhatWasDecodedChangesLittle) {
  const Floats values = normal_values(64 * 256, 0.02f, 2);
  const Floats once = decode(format, encode(format, values));
  const Floats twice = decode(format, encode(format, once));
  if (format.name.find("_k") == std::string_view::npos && !format.name.starts_with("iq")) {
    EXPECT_EQ(bits_of(once), bits_of(twice));
  } else {
    EXPECT_LT(root_mean_square_difference(once, twice),
              0.5 * root_mean_square_difference(values, once));
  }
}

TEST_P(FormatTest, ZerosStayZeros) {
  const Floats zeros(256, 0.0f);
  for (const float value : decode(format, encode(format, zeros))) EXPECT_EQ(value, 0.0f);
}

TEST_P(FormatTest, ExtremesStayFinite) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  for (const float scale : {kLargest, 1e30f, 65504.0f, 1e-20f, 1e-38f, kSmallest}) {
    Floats values = normal_values(256, 0.25f, 3);
    for (float& value : values) value = std::clamp(value, -1.0f, 1.0f) * scale;
    values[7] = scale;
    values[99] = -scale;
    const float most = format.values_per_block == 1 ? HUGE_VALF : std::max(scale * 1.25f, 1e-30f);
    for (const float value : decode(format, encode(format, values))) {
      EXPECT_FALSE(std::isnan(value)) << scale;
      EXPECT_LE(std::fabs(value), most) << scale;
    }
  }
}

TEST_P(FormatTest, AnyBitsEncodeWithoutTrap) {
  Floats values = normal_values(256, 1.0f, 4);
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[100] = std::numeric_limits<float>::infinity();
  values[200] = -std::numeric_limits<float>::infinity();
  encode(format, values);
}

// Plain rounding: each group gets the exact scale that its extremes ask for, unrounded.
struct Baseline {
  std::string_view name;
  std::size_t group_size;
  int lowest;  // of the integers; 0: with an offset
  int highest;
  double most;  // error of the format, relative to that of plain rounding
};
constexpr Baseline kBaselines[] = {
    {"q4_0", 32, -8, 7, 1.01},   {"q4_1", 32, 0, 15, 1.01},     {"q5_0", 32, -16, 15, 1.01},
    {"q5_1", 32, 0, 31, 1.01},   {"q8_0", 32, -127, 127, 1.01}, {"q2_k", 16, 0, 3, 0.85},
    {"q3_k", 16, -4, 3, 0.95},   {"q4_k", 32, 0, 15, 0.93},     {"q5_k", 32, 0, 31, 0.97},
    {"q6_k", 16, -32, 31, 0.95}, {"iq4_nl", 32, -8, 7, 0.91},   {"iq4_xs", 32, -8, 7, 0.92},
    {"mxfp4", 32, -8, 7, 1.35},
};

Floats round_plainly(const Floats& values, const Baseline& baseline) {
  Floats rounded = values;
  for (std::size_t start = 0; start < values.size(); start += baseline.group_size) {
    float low = 0.0f;
    float high = 0.0f;
    for (std::size_t i = start; i < start + baseline.group_size; ++i) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    const bool has_offset = baseline.lowest == 0;
    const float extreme = -low > high ? low : high;
    const auto steps = static_cast<float>(has_offset ? baseline.highest : baseline.lowest);
    const float scale = (has_offset ? high - low : extreme) / steps;
    const float offset = has_offset ? low : 0.0f;
    for (std::size_t i = start; i < start + baseline.group_size; ++i) {
      const float q =
          std::clamp(std::nearbyint((values[i] - offset) / scale),
                     static_cast<float>(baseline.lowest), static_cast<float>(baseline.highest));
      rounded[i] = q * scale + offset;
    }
  }
  return rounded;
}

TEST(Formats, EncodersAreAsGoodAsPlainRoundingOrBetter) {
  const Floats values = normal_values(256 * 256, 0.03f, 5);
  for (const Baseline& baseline : kBaselines) {
    const Format* format = find_format(baseline.name);
    ASSERT_NE(format, nullptr) << baseline.name;
    const double error =
        root_mean_square_difference(values, decode(*format, encode(*format, values)));
    const double plain = root_mean_square_difference(values, round_plainly(values, baseline));
    EXPECT_LT(error, baseline.most * plain) << baseline.name << " " << error / plain;
  }
}

TEST(Formats, EveryFormatIsFoundByNameAndId) {
  std::set<std::string_view> names;
  for (const Format& format : all_formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_EQ(find_format(format.name), &format);
    EXPECT_EQ(&format_of(format.dtype), &format);
    const GgufType* type = find_gguf_type(static_cast<std::uint32_t>(format.dtype));
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->format, &format);
    EXPECT_EQ(type->bytes_per_block, format.bytes_per_block);
  }
  EXPECT_EQ(names.size(), 16u);
  EXPECT_EQ(find_format("Q4_K"), find_format("q4_k"));
  EXPECT_EQ(find_format("q4"), nullptr);
}

TEST(Formats, EveryGgufTypeIsKnownByNameAndSize) {
  for (std::uint32_t id = 0; id < 43; ++id) {
    const GgufType* type = find_gguf_type(id);
    ASSERT_NE(type, nullptr) << id;
    EXPECT_EQ(type->id, id);
    EXPECT_GT(type->bytes_per_block, 0u);
    EXPECT_GT(type->values_per_block, 0u);
  }
  EXPECT_EQ(find_gguf_type(43), nullptr);
  EXPECT_EQ(find_gguf_type(0xFFFFFFFF), nullptr);
  EXPECT_EQ(find_gguf_type(16)->name, "iq2_xxs");
  EXPECT_EQ(find_gguf_type(16)->format, nullptr);
  EXPECT_EQ(find_ik_llama_type(139), "iq4_k");
  EXPECT_EQ(find_ik_llama_type(202), "row-interleaved");
  EXPECT_EQ(find_ik_llama_type(12), "");
}

double half_by_definition(unsigned half) {
  const int exponent = static_cast<int>(half >> 10) & 31;
  const int mantissa = static_cast<int>(half & 1023);
  if (exponent == 31) return mantissa == 0 ? HUGE_VAL : NAN;
  return exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, EveryPatternDecodesByDefinitionAndComesBack) {
  for (unsigned bits = 0; bits < 0x8000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto negative = static_cast<std::uint16_t>(bits | 0x8000);
    const double expected = half_by_definition(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(half_to_float(half)));
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(half_to_float(half)))));
      continue;
    }
    ASSERT_EQ(half_to_float(half), expected) << bits;
    ASSERT_EQ(half_to_float(negative), -expected) << bits;
    ASSERT_EQ(float_to_half(half_to_float(half)), half);
    ASSERT_EQ(float_to_half(half_to_float(negative)), negative);
  }
}

TEST(Half, RoundsToNearestAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7BFF; ++bits) {
    const double middle = (half_by_definition(bits) + half_by_definition(bits + 1)) / 2;
    const auto tie = static_cast<float>(middle);  // exact: a float has thirteen more bits
    ASSERT_EQ(float_to_half(std::nextafter(tie, 0.0f)), bits);
    ASSERT_EQ(float_to_half(tie), bits + (bits & 1));
    ASSERT_EQ(float_to_half(std::nextafter(tie, 1e9f)), bits + 1);
  }
  EXPECT_EQ(float_to_half(65519.996f), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0f), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30f), 0xFC00);
}

TEST(Half, Bfloat16RoundsToNearestAndKeepsNan) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F808000u)), 0x3F80);  // tie to even
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F818000u)), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F808001u)), 0x3F81);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::bit_cast<float>(0x7F800001u)))));
}

}  // namespace
}  // namespace cairn::tensor
