// The reference against formulas written again in double, and against hand-made numbers.

#include "backend/reference/reference_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace cairn::backend {
namespace {

/// Deterministic values in [-1, 1).
std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(
        2 * base::uniform_draw(seed, 0, static_cast<std::uint32_t>(i), base::DrawPurpose::test) -
        1);
  }
  return values;
}

Tensor view(std::vector<float>& values, std::int64_t rows) {
  const auto columns = static_cast<std::int64_t>(values.size()) / rows;
  return {DType::f32, {rows, columns}, reinterpret_cast<std::byte*>(values.data())};
}

ConstTensor const_view(const std::vector<float>& values, std::int64_t rows) {
  const auto columns = static_cast<std::int64_t>(values.size()) / rows;
  return {DType::f32, {rows, columns}, reinterpret_cast<const std::byte*>(values.data())};
}

class ReferenceBackendTest : public testing::Test {
 protected:
  base::ThreadPool threads_{2};
  base::SystemClock clock_;
  base::Log log_;
  Context context_{threads_, clock_, log_};
  std::unique_ptr<Backend> backend_ = make_reference_backend(context_);

  Vector vector_of(const std::vector<float>& values, float offset = 0) {
    return backend_->prepare_vector(const_view(values, 1), offset);
  }
};

TEST_F(ReferenceBackendTest, MatmulNormsAddsBiasAndAccumulates) {
  constexpr std::int64_t kRows = 3, kInputs = 37, kOutputs = 5;  // 37: lanes with a tail
  auto input = random_values(kRows * kInputs, 1);
  const auto matrix = random_values(kOutputs * kInputs, 2);
  const auto norm = random_values(kInputs, 3);
  const auto bias = random_values(kOutputs, 4);
  std::vector<float> output(kRows * kOutputs, 1.0F);
  const auto weight = backend_->prepare({"w", const_view(matrix, kOutputs)}, WeightUse::matmul);
  const Vector norm_vector = vector_of(norm, 1.0F);
  const Vector bias_vector = vector_of(bias);
  const Projection projection{weight.get(), &bias_vector, view(output, kRows), Store::add};
  backend_->matmul({view(input, kRows), {&norm_vector, 1e-5F}, {&projection, 1}});
  for (std::size_t row = 0; row < kRows; ++row) {
    double square = 0;
    for (std::size_t i = 0; i < kInputs; ++i) square += std::pow(input[row * kInputs + i], 2);
    const double inverse = 1 / std::sqrt(square / kInputs + 1e-5);
    for (std::size_t o = 0; o < kOutputs; ++o) {
      double sum = 1.0 + bias[o];
      for (std::size_t i = 0; i < kInputs; ++i) {
        sum += input[row * kInputs + i] * inverse * (norm[i] + 1.0) * matrix[o * kInputs + i];
      }
      EXPECT_NEAR(output[row * kOutputs + o], sum, 1e-5);
    }
  }
}

TEST_F(ReferenceBackendTest, MlpGatesWithEitherActivation) {
  constexpr std::size_t kWidth = 6, kHidden = 10;
  auto input = random_values(kWidth, 1);
  const auto gate = random_values(kHidden * kWidth, 2);
  const auto up = random_values(kHidden * kWidth, 3);
  const auto down = random_values(kWidth * kHidden, 4);
  const auto gate_weight =
      backend_->prepare({"gate", const_view(gate, kHidden)}, WeightUse::matmul);
  const auto up_weight = backend_->prepare({"up", const_view(up, kHidden)}, WeightUse::matmul);
  const auto down_weight = backend_->prepare({"down", const_view(down, kWidth)}, WeightUse::matmul);
  for (const Activation activation : {Activation::silu, Activation::gelu_tanh}) {
    std::vector<double> hidden(kHidden);
    for (std::size_t h = 0; h < kHidden; ++h) {
      double g = 0, u = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        g += input[i] * static_cast<double>(gate[h * kWidth + i]);
        u += input[i] * static_cast<double>(up[h * kWidth + i]);
      }
      const double gelu =
          0.5 * g * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (g + 0.044715 * g * g * g)));
      hidden[h] = (activation == Activation::silu ? g / (1 + std::exp(-g)) : gelu) * u;
    }
    std::vector<float> output(kWidth);
    backend_->mlp({.input = view(input, 1),
                   .norm = {},
                   .gate = gate_weight.get(),
                   .up = up_weight.get(),
                   .down = down_weight.get(),
                   .activation = activation,
                   .output = view(output, 1)});
    for (std::size_t i = 0; i < kWidth; ++i) {
      double sum = 0;
      for (std::size_t h = 0; h < kHidden; ++h) sum += hidden[h] * down[i * kHidden + h];
      EXPECT_NEAR(output[i], sum, 1e-6);
    }
  }
}

TEST_F(ReferenceBackendTest, EmbedScalesRows) {
  const std::vector<float> table{1, 2, 3, 4, 5, 6};
  const auto weight = backend_->prepare({"e", const_view(table, 3)}, WeightUse::rows);
  std::vector<float> output(4);
  const std::vector<TokenId> tokens{TokenId(2), TokenId(0)};
  backend_->embed(*weight, tokens, 10, view(output, 2));
  EXPECT_EQ(output, (std::vector<float>{50, 60, 10, 20}));
}

TEST_F(ReferenceBackendTest, RopeTableHoldsCosinesThenSines) {
  const Vector frequencies = vector_of({1.0F, 0.5F});
  const std::vector<std::int32_t> positions{3};
  std::vector<float> table(4);
  backend_->rope_table({positions, &frequencies, 2.0F, view(table, 1)});
  EXPECT_FLOAT_EQ(table[0], 2 * std::cos(3.0F));
  EXPECT_FLOAT_EQ(table[1], 2 * std::cos(1.5F));
  EXPECT_FLOAT_EQ(table[2], 2 * std::sin(3.0F));
  EXPECT_FLOAT_EQ(table[3], 2 * std::sin(1.5F));
}

TEST_F(ReferenceBackendTest, AddNormedAddsTheNormedBranch) {
  std::vector<float> stream{1, 1};
  std::vector<float> branch{3, 4};  // root mean square sqrt(12.5)
  const Vector weight = vector_of({1, 2});
  backend_->add_normed(view(stream, 1), view(branch, 1), {&weight, 0});
  EXPECT_NEAR(stream[0], 1 + 3 / std::sqrt(12.5), 1e-6);
  EXPECT_NEAR(stream[1], 1 + 8 / std::sqrt(12.5), 1e-6);
}

TEST_F(ReferenceBackendTest, OutputHeadPicksRowsAndCaps) {
  std::vector<float> input{1, 0, 0, 1};
  const std::vector<float> matrix{1, 2, 3, 4, 5, 6};
  const auto weight = backend_->prepare({"o", const_view(matrix, 3)}, WeightUse::matmul);
  const std::vector<std::int32_t> rows{1};
  std::vector<float> logits(3);
  backend_->output_head({.input = view(input, 2),
                         .rows = rows,
                         .norm = {},
                         .weight = weight.get(),
                         .scale = 0.5F,
                         .softcap = 3,
                         .logits = view(logits, 1)});
  EXPECT_FLOAT_EQ(logits[0], 3 * std::tanh(1.0F / 3));
  EXPECT_FLOAT_EQ(logits[1], 3 * std::tanh(2.0F / 3));
  EXPECT_FLOAT_EQ(logits[2], 3 * std::tanh(3.0F / 3));
}

// ---- attention ----

constexpr std::int32_t kHeads = 4, kKvHeads = 2, kKeyDim = 6, kValueDim = 4, kTokens = 41;
constexpr std::int32_t kPageTokens = 16, kRotated = 4;

struct AttentionCase {
  DType kv_type = DType::f32;
  RopePairs pairs = RopePairs::halves;
  std::int32_t window = 0;
  float softcap = 0;
  double tolerance = 1e-5;
};

struct Inputs {
  std::vector<float> query = random_values(kTokens * kHeads * kKeyDim, 11);
  std::vector<float> key = random_values(kTokens * kKvHeads * kKeyDim, 12);
  std::vector<float> value = random_values(kTokens * kKvHeads * kValueDim, 13);
  std::vector<float> norm = random_values(kKeyDim, 14);
  std::vector<float> frequencies{1.0F, 0.125F};
};

std::int32_t first_key(const AttentionCase& test, std::int32_t position) {
  return test.window == 0 ? 0 : std::max(0, position - test.window + 1);
}

/// Norm, then rotation, in double.
std::vector<double> prepared(const Inputs& in, const float* head, std::int32_t position,
                             RopePairs pairs) {
  double square = 0;
  for (int d = 0; d < kKeyDim; ++d) square += std::pow(head[d], 2);
  std::vector<double> x(kKeyDim);
  for (std::size_t d = 0; d < kKeyDim; ++d) {
    x[d] = head[d] / std::sqrt(square / kKeyDim + 1e-5) * in.norm[d];
  }
  for (std::size_t i = 0; i < kRotated / 2; ++i) {
    const std::size_t a = pairs == RopePairs::adjacent ? 2 * i : i;
    const std::size_t b = pairs == RopePairs::adjacent ? 2 * i + 1 : i + kRotated / 2;
    const double angle = position * static_cast<double>(in.frequencies[i]);
    const double turned = x[a] * std::cos(angle) - x[b] * std::sin(angle);
    x[b] = x[b] * std::cos(angle) + x[a] * std::sin(angle);
    x[a] = turned;
  }
  return x;
}

std::vector<double> expected_attention(const Inputs& in, const AttentionCase& test) {
  std::vector<double> output;
  for (std::int32_t row = 0; row < kTokens; ++row) {
    for (std::int32_t head = 0; head < kHeads; ++head) {
      const std::int32_t kv_head = head / (kHeads / kKvHeads);
      const auto q = prepared(
          in,
          &in.query[(static_cast<std::size_t>(row) * kHeads + static_cast<std::size_t>(head)) *
                    kKeyDim],
          row, test.pairs);
      std::vector<double> mixed(kValueDim, 0.0);
      double sum = 0;
      for (std::int32_t j = first_key(test, row); j <= row; ++j) {
        const auto k = prepared(
            in,
            &in.key[(static_cast<std::size_t>(j) * kKvHeads + static_cast<std::size_t>(kv_head)) *
                    kKeyDim],
            j, test.pairs);
        double score = 0;
        for (std::size_t d = 0; d < kKeyDim; ++d) score += q[d] * k[d];
        score *= 0.7;
        if (test.softcap > 0) score = test.softcap * std::tanh(score / test.softcap);
        sum += std::exp(score);
        for (std::size_t d = 0; d < kValueDim; ++d) {
          mixed[d] += std::exp(score) *
                      in.value[static_cast<std::size_t>((j * kKvHeads + kv_head) * kValueDim) + d];
        }
      }
      for (const double value : mixed) output.push_back(value / sum);
    }
  }
  return output;
}

/// All tokens of one sequence, `chunk` rows a call, on pages in reverse order.
std::vector<float> run_attention(Backend& backend, const Inputs& original,
                                 const AttentionCase& test, std::int32_t chunk) {
  Inputs in = original;
  const std::vector<PageId> pages{PageId(2), PageId(1), PageId(0)};
  const std::size_t value_bytes = tensor::format_of(test.kv_type).bytes_per_block;
  const Buffer keys(3 * kPageTokens * kKvHeads * kKeyDim * value_bytes);
  const Buffer values(3 * kPageTokens * kKvHeads * kValueDim * value_bytes);
  const KvLayer kv{keys.data(),  values.data(), test.kv_type,
                   test.kv_type, kKvHeads,      kKeyDim,
                   kValueDim,    kPageTokens,   3};
  const Vector norm = backend.prepare_vector(const_view(in.norm, 1), 0);
  const Vector frequencies = backend.prepare_vector(const_view(in.frequencies, 1), 0);
  std::vector<float> output;
  for (std::int32_t begin = 0; begin < kTokens; begin += chunk) {
    const std::int32_t rows = std::min(chunk, kTokens - begin);
    std::vector<KeyList> lists;
    std::vector<std::int64_t> slots;
    std::vector<std::int32_t> positions;
    for (std::int32_t p = begin; p < begin + rows; ++p) {
      lists.push_back({pages.data(), first_key(test, p), p + 1});
      slots.push_back(pages[static_cast<std::size_t>(p / kPageTokens)].value * kPageTokens +
                      p % kPageTokens);
      positions.push_back(p);
    }
    std::vector<float> table(static_cast<std::size_t>(rows * kRotated));
    backend.rope_table({positions, &frequencies, 1, view(table, rows)});
    std::vector<float> part(static_cast<std::size_t>(rows * kHeads * kValueDim));
    const auto rows_of = [&](std::vector<float>& all, std::int32_t columns) {
      return Tensor{
          DType::f32, {rows, columns}, reinterpret_cast<std::byte*>(all.data() + begin * columns)};
    };
    backend.attention({.query = rows_of(in.query, kHeads * kKeyDim),
                       .key = rows_of(in.key, kKvHeads * kKeyDim),
                       .value = rows_of(in.value, kKvHeads * kValueDim),
                       .output = view(part, rows),
                       .heads = kHeads,
                       .query_norm = {&norm, 1e-5F},
                       .key_norm = {&norm, 1e-5F},
                       .rope_table = view(table, rows),
                       .rope_pairs = test.pairs,
                       .scale = 0.7F,
                       .softcap = test.softcap,
                       .kv = &kv,
                       .keys = lists,
                       .write_slots = slots});
    output.insert(output.end(), part.begin(), part.end());
  }
  return output;
}

TEST_F(ReferenceBackendTest, AttentionIsItsFormulaInEveryKind) {
  const Inputs in;
  const std::vector<AttentionCase> cases{
      {},
      {.pairs = RopePairs::adjacent},
      {.window = 7},
      {.softcap = 0.5F},
      {.kv_type = DType::f16, .tolerance = 1e-3},
      {.kv_type = DType::bf16, .window = 17, .tolerance = 1e-2},
  };
  for (const AttentionCase& test : cases) {
    const auto expected = expected_attention(in, test);
    const auto whole = run_attention(*backend_, in, test, kTokens);
    ASSERT_EQ(whole.size(), expected.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      ASSERT_NEAR(whole[i], expected[i], test.tolerance) << "value " << i;
    }
    EXPECT_EQ(run_attention(*backend_, in, test, 1), whole);
    EXPECT_EQ(run_attention(*backend_, in, test, 7), whole);
  }
}

}  // namespace
}  // namespace cairn::backend
