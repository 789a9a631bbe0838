// Whole ops against the reference: mlp, several projections, output head, embedding, norms.

#include <gtest/gtest.h>

#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

class EachIsa : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cpu, EachIsa, testing::ValuesIn(isa_names()));

/// The weights of a gated MLP; `down` in its own format.
struct MlpWeights {
  static constexpr std::int64_t kWidth = 96;
  static constexpr std::int64_t kHidden = 160;
  RandomWeight gate;
  RandomWeight up;
  RandomWeight down;
  Vector norm = random_vector(kWidth, 44);
  Vector gate_bias = random_vector(kHidden, 45, 0);
  Vector up_bias = random_vector(kHidden, 46, 0);
  Vector down_bias = random_vector(kWidth, 47, 0);
  MlpWeights(DType first, DType second)
      : gate(first, kHidden, kWidth, 41),
        up(first, kHidden, kWidth, 42),
        down(second, kWidth, kHidden, 43) {}
};

Matrix run_mlp(Backend& backend, const MlpWeights& weights, Activation activation,
               const Matrix& input, Store store) {
  const auto gate = backend.prepare(weights.gate.view(), WeightUse::matmul);
  const auto up = backend.prepare(weights.up.view(), WeightUse::matmul);
  const auto down = backend.prepare(weights.down.view(), WeightUse::matmul);
  Matrix output(input.tensor().rows(), MlpWeights::kWidth);
  for (std::int64_t i = 0; i < output.size(); ++i) output.row(0)[i] = 0.25F;
  backend.mlp({.input = input.tensor(),
               .norm = {&weights.norm, 1e-5F},
               .gate = gate.get(),
               .up = up.get(),
               .down = down.get(),
               .gate_bias = &weights.gate_bias,
               .up_bias = &weights.up_bias,
               .down_bias = &weights.down_bias,
               .activation = activation,
               .output = output.tensor(),
               .store = store});
  return output;
}

TEST_P(EachIsa, MlpAgreesWithTheReference) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::q8_0}) {
    for (const Activation activation : {Activation::silu, Activation::gelu_tanh}) {
      for (const Store store : {Store::assign, Store::add}) {
        const MlpWeights weights(DType::f32, dtype);
        Draws draws(9);
        Matrix input(3, MlpWeights::kWidth);
        input.fill(draws, 3);
        TestBackend backend(GetParam(), 2);
        TestBackend reference("reference", 1);
        const Matrix output = run_mlp(*backend, weights, activation, input, store);
        const Matrix expected = run_mlp(*reference, weights, activation, input, store);
        const float tolerance = dtype == DType::q8_0 ? 2e-2F : 1e-5F;
        for (std::int64_t i = 0; i < output.size(); ++i) {
          ASSERT_NEAR(output.row(0)[i], expected.row(0)[i], tolerance) << i;
        }
      }
    }
  }
}

TEST_P(EachIsa, MlpRowsDoNotDependOnTheirCompany) {
  constexpr std::int64_t kRows = 300;  // more than one tile of columns
  for (const DType dtype : {DType::f16, DType::q4_1, DType::q5_0}) {
    const MlpWeights weights(dtype, dtype);
    Draws draws(10);
    Matrix input(kRows, MlpWeights::kWidth);
    input.fill(draws);
    TestBackend many(GetParam(), 3);
    TestBackend alone(GetParam(), 1);
    const Matrix together = run_mlp(*many, weights, Activation::silu, input, Store::assign);
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{7}, std::int64_t{299}}) {
      Matrix one(1, MlpWeights::kWidth);
      std::copy_n(input.row(row), MlpWeights::kWidth, one.row(0));
      const Matrix expected = run_mlp(*alone, weights, Activation::silu, one, Store::assign);
      EXPECT_TRUE(equal_bits(together.row(row), expected.row(0), MlpWeights::kWidth)) << row;
    }
  }
}

TEST_P(EachIsa, ProjectionsOfSeveralFormatsShareOneNormedInput) {
  constexpr std::int64_t kWidth = 64;
  const RandomWeight first(DType::q8_0, 24, kWidth, 1);
  const RandomWeight second(DType::f32, 9, kWidth, 2);
  const Vector norm = random_vector(kWidth, 3);
  const Vector bias = random_vector(9, 4);
  Draws draws(5);
  Matrix input(4, kWidth);
  input.fill(draws, 5);
  const auto run = [&](Backend& backend, const Matrix& a, const Matrix& b) {
    const auto first_weight = backend.prepare(first.view(), WeightUse::matmul);
    const auto second_weight = backend.prepare(second.view(), WeightUse::matmul);
    const Projection projections[] = {{first_weight.get(), nullptr, a.tensor(), Store::assign},
                                      {second_weight.get(), &bias, b.tensor(), Store::add}};
    backend.matmul({input.tensor(), {&norm, 1e-6F}, projections});
  };
  const Matrix outputs[] = {{4, 24}, {4, 9}, {4, 24}, {4, 9}};
  TestBackend backend(GetParam(), 2);
  TestBackend reference("reference", 1);
  run(*backend, outputs[0], outputs[1]);
  run(*reference, outputs[2], outputs[3]);
  for (std::int64_t i = 0; i < outputs[0].size(); ++i) {
    ASSERT_NEAR(outputs[0].row(0)[i], outputs[2].row(0)[i], 2e-2F);
  }
  for (std::int64_t i = 0; i < outputs[1].size(); ++i) {
    ASSERT_NEAR(outputs[1].row(0)[i], outputs[3].row(0)[i], 1e-5F);
  }
}

TEST_P(EachIsa, OutputHeadGathersScalesAndCaps) {
  constexpr std::int64_t kWidth = 80;
  const RandomWeight table(DType::f16, 101, kWidth, 1);
  const Vector norm = random_vector(kWidth, 3);
  const std::vector<std::int32_t> rows = {4, 0, 2};
  Draws draws(5);
  Matrix input(6, kWidth);
  input.fill(draws);
  const auto run = [&](Backend& backend) {
    const auto weight = backend.prepare(table.view(), WeightUse::matmul_and_rows);
    Matrix logits(3, 101);
    backend.output_head({.input = input.tensor(),
                         .rows = rows,
                         .norm = {&norm, 1e-6F},
                         .weight = weight.get(),
                         .scale = 4,
                         .softcap = 1.5F,
                         .logits = logits.tensor()});
    return logits;
  };
  TestBackend backend(GetParam(), 2);
  TestBackend reference("reference", 1);
  const Matrix logits = run(*backend);
  const Matrix expected = run(*reference);
  for (std::int64_t i = 0; i < logits.size(); ++i) {
    ASSERT_NEAR(logits.row(0)[i], expected.row(0)[i], 1e-5F);
  }
}

TEST_P(EachIsa, EmbedAndAddNormedAreTheReferences) {
  constexpr std::int64_t kWidth = 96;
  const RandomWeight table(DType::q4_0, 50, kWidth, 1);
  const Vector norm = random_vector(kWidth, 3);
  const std::vector<TokenId> tokens = {TokenId{49}, TokenId{0},  TokenId{7},
                                       TokenId{7},  TokenId{31}, TokenId{2}};
  const auto run = [&](Backend& backend) {
    const auto weight = backend.prepare(table.view(), WeightUse::rows);
    Matrix stream(6, kWidth);
    Matrix branch(6, kWidth);
    Draws draws(8);
    branch.fill(draws, 4);
    backend.embed(*weight, tokens, 9.5F, stream.tensor());
    backend.add_normed(stream.tensor(), branch.tensor(), {&norm, 1e-6F});
    return stream;
  };
  TestBackend backend(GetParam(), 2);
  TestBackend reference("reference", 1);
  const Matrix stream = run(*backend);
  const Matrix expected = run(*reference);
  for (std::int64_t i = 0; i < stream.size(); ++i) {
    ASSERT_NEAR(stream.row(0)[i], expected.row(0)[i], 1e-5F);
  }
}

}  // namespace
}  // namespace cairn::backend::cpu
