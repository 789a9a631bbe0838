// Products against the reference and against an emulation of their own arithmetic; row independence
// (N1); bytes that must not saturate (N5).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "backend/cpu/cpu_weight.h"
#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

struct Case {
  std::string isa;
  DType dtype;
};

bool is_quantized(DType dtype) {
  return tensor::format_of(dtype).values_per_block > 1;
}

std::vector<Case> cases_of(bool floats_too) {
  std::vector<Case> cases;
  for (const std::string& isa : isa_names()) {
    for (const tensor::Format& format : tensor::all_formats()) {
      if (find_layout(format.dtype) == nullptr) continue;
      if (floats_too || is_quantized(format.dtype)) cases.push_back({isa, format.dtype});
    }
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<Case>& parameter) {
  return parameter.param.isa + "_" + std::string(tensor::format_of(parameter.param.dtype).name);
}

class EachFormat : public testing::TestWithParam<Case> {};
class EachQuantizedFormat : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cpu, EachFormat, testing::ValuesIn(cases_of(true)), name_of_case);
INSTANTIATE_TEST_SUITE_P(Cpu, EachQuantizedFormat, testing::ValuesIn(cases_of(false)),
                         name_of_case);

Matrix multiply(Backend& backend, const WeightView& view, const Matrix& input) {
  const auto weight = backend.prepare(view, WeightUse::matmul);
  Matrix output(input.tensor().rows(), view.values.rows());
  const Projection projection{weight.get(), nullptr, output.tensor(), Store::assign};
  backend.matmul({input.tensor(), {}, {&projection, 1}});
  return output;
}

/// The activations as quantized weights meet them (kernel_table.h): 8 bits, a multiplier for each
/// 16 and the scale that fits 32 of them best.
Matrix rounded(const Matrix& input) {
  Matrix result(input.tensor().rows(), input.tensor().columns());
  for (std::int64_t i = 0; i < input.size(); i += kBlockValues) {
    const float* x = input.row(0) + i;
    float peaks[2] = {};
    for (int j = 0; j < 32; ++j) peaks[j / 16] = std::max(peaks[j / 16], std::fabs(x[j]));
    const float step = std::max(peaks[0], peaks[1]) / (127.0F * 127.0F);
    double codes[32] = {};
    double products = 0;
    double squares = 0;
    for (int j = 0; j < 32; ++j) {
      const float multiplier = std::max(1.0F, std::ceil(peaks[j / 16] / (127.0F * step)));
      codes[j] =
          static_cast<double>(std::nearbyint(x[j] * (1.0F / (step * multiplier))) * multiplier);
      products += static_cast<double>(x[j]) * codes[j];
      squares += codes[j] * codes[j];
    }
    const double scale = squares > 0 ? products / squares : 0;
    for (int j = 0; j < 32; ++j) {
      result.row(0)[i + j] = static_cast<float>(codes[j] * scale);
    }
  }
  return result;
}

/// |expected - actual| within `tolerance` of the sum of magnitudes that made up each value.
void expect_close(const WeightView& view, const Matrix& input, const Matrix& actual,
                  float tolerance) {
  const std::int64_t inputs = view.values.columns();
  std::vector<float> weights(static_cast<std::size_t>(view.values.shape.elements()));
  tensor::decode_to_floats(view.values, weights);
  for (std::int64_t row = 0; row < input.tensor().rows(); ++row) {
    for (std::int64_t output = 0; output < view.values.rows(); ++output) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t i = 0; i < inputs; ++i) {
        const double term =
            static_cast<double>(weights[static_cast<std::size_t>(output * inputs + i)]) *
            static_cast<double>(input.row(row)[i]);
        sum += term;
        magnitude += std::fabs(term);
      }
      ASSERT_NEAR(actual.row(row)[output], sum, static_cast<double>(tolerance) * magnitude + 1e-30)
          << "row " << row << " output " << output;
    }
  }
}

TEST_P(EachFormat, IsTheProductOfDecodedWeightsAndRoundedActivations) {
  for (const std::int64_t inputs : {std::int64_t{256}, std::int64_t{768}}) {
    TestBackend backend(GetParam().isa, 2);
    const RandomWeight weight(GetParam().dtype, 37, inputs, 7);
    Draws draws(11);
    Matrix input(5, inputs);
    input.fill(draws);
    const Matrix output = multiply(*backend, weight.view(), input);
    const Matrix met = rounded(input);
    // f32 sums of some hundred terms; half an ulp each would be 6e-8.
    expect_close(weight.view(), is_quantized(GetParam().dtype) ? met : input, output, 2e-6F);
  }
}

TEST_P(EachFormat, AgreesWithTheReferenceUpToTheRoundingOfActivations) {
  constexpr std::int64_t kInputs = 512;
  TestBackend backend(GetParam().isa, 2);
  TestBackend reference("reference", 1);
  const RandomWeight weight(GetParam().dtype, 24, kInputs, 3);
  Draws draws(5);
  Matrix input(3, kInputs);
  input.fill(draws);
  const Matrix output = multiply(*backend, weight.view(), input);
  const Matrix expected = multiply(*reference, weight.view(), input);
  // An activation is off by at most peak / 254, independently: the error of a sum of n grows with
  // its square root. peak is about 3, a weight about 0.05.
  const float tolerance = is_quantized(GetParam().dtype)
                              ? 6 * 3.0F / 254 * 0.05F * std::sqrt(static_cast<float>(kInputs))
                              : 1e-5F;
  for (std::int64_t i = 0; i < output.size(); ++i) {
    ASSERT_NEAR(output.row(0)[i], expected.row(0)[i], tolerance) << i;
  }
}

TEST_P(EachFormat, ARowDoesNotDependOnItsCompanyOrTheThreads) {
  constexpr std::int64_t kInputs = 512;
  constexpr std::int64_t kRows = 41;
  const RandomWeight weight(GetParam().dtype, 53, kInputs, 21);
  Draws draws(22);
  Matrix input(kRows, kInputs);
  input.fill(draws);
  TestBackend alone(GetParam().isa, 1);
  Matrix expected(kRows, 53);
  for (std::int64_t row = 0; row < kRows; ++row) {
    Matrix one(1, kInputs);
    std::copy_n(input.row(row), kInputs, one.row(0));
    std::copy_n(multiply(*alone, weight.view(), one).row(0), 53, expected.row(row));
  }
  for (const int threads : {1, 2, 3}) {
    TestBackend backend(GetParam().isa, threads);
    for (std::int64_t rows = 1; rows <= kRows; rows += threads == 2 ? 1 : 8) {
      Matrix some(rows, kInputs);
      std::copy_n(input.row(0), rows * kInputs, some.row(0));
      const Matrix output = multiply(*backend, weight.view(), some);
      ASSERT_TRUE(equal_bits(output.row(0), expected.row(0), rows * 53))
          << rows << " rows, " << threads << " threads";
    }
  }
}

TEST_P(EachQuantizedFormat, ExtremeBytesDoNotSaturate) {
  constexpr std::int64_t kInputs = 256;
  TestBackend backend(GetParam().isa, 1);
  // Every byte pattern of codes that is extreme somewhere; scales come from an encoded block.
  for (const unsigned fill : {0x00U, 0xFFU, 0x80U, 0x7FU, 0x0FU, 0xF0U}) {
    const tensor::Format& format = tensor::format_of(GetParam().dtype);
    const RandomWeight weight(GetParam().dtype, 16, kInputs, 31);
    const std::size_t blocks = weight.view().values.size_bytes() / format.bytes_per_block;
    for (std::size_t block = 0; block < blocks; ++block) {
      std::byte* bytes = weight.bytes() + block * format.bytes_per_block;
      std::memset(bytes, static_cast<int>(fill), format.bytes_per_block);
      // All halves of a block: at offset 0 and 2, or at its end; 0x2C00 is 1/16.
      const std::uint16_t half = 0x2C00;
      for (const std::size_t place :
           {std::size_t{0}, std::size_t{2}, std::size_t{format.bytes_per_block - 4},
            std::size_t{format.bytes_per_block - 2}}) {
        std::memcpy(bytes + place, &half, sizeof half);
      }
    }
    for (const float sign : {1.0F, -1.0F}) {
      Matrix input(3, kInputs);
      for (std::int64_t i = 0; i < input.size(); ++i) {
        input.row(0)[i] = i / kInputs == 2 && i % 3 == 0 ? -sign : sign;
      }
      const Matrix output = multiply(*backend, weight.view(), input);
      expect_close(weight.view(), input, output, 2e-6F);
    }
  }
}

TEST_P(EachFormat, PreparedWeightsAreAtMostTwoPercentLargerThanTheirFile) {
  base::ThreadPool threads(2);
  const RandomWeight weight(GetParam().dtype, 64, 512, 1);
  WeightMemory memory;
  const CpuWeight prepared(weight.view(), WeightUse::matmul, threads, memory);
  EXPECT_LE(static_cast<double>(prepared.prepared_bytes()),
            1.02 * static_cast<double>(prepared.file_bytes()));
}

}  // namespace
}  // namespace cairn::backend::cpu
