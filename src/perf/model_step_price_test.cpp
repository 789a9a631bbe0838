// What a step is expected to take: the parts against the model's own forward on shapes, and what is
// learned from made-up machines.

#include "perf/model_step_price.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "models/test_folder.h"

namespace cairn::perf {
namespace {

constexpr Rates kRates{1e9, 1e9, 1e9};

/// Plans of sequences that compute `rows` tokens from `first` on, `logit_rows` in all.
struct Planned {
  struct Rows {
    std::int32_t first;
    std::int32_t count;
  };
  Planned(const std::vector<Rows>& sequences, std::int32_t logit_rows) {
    for (const Rows& rows : sequences) {
      schedule::SequenceStep step;
      step.first_position = rows.first;
      step.token_count = rows.count;
      plan.sequences.push_back(step);
      plan.row_count += rows.count;
    }
    plan.logit_row_count = logit_rows;
  }
  schedule::StepPlan plan;
};

double part(const StepParts& parts, StepPart which) {
  return parts[static_cast<std::size_t>(which)];
}

double seconds_of(std::int64_t amount) {
  return static_cast<double>(amount) / 1e9;
}

class StepRooflines : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Families, StepRooflines,
                         testing::Values("llama", "mistral", "gemma3_text"));

TEST_P(StepRooflines, EqualsTheForwardOnShapes) {
  const models::TestFolder folder(GetParam());
  const auto checkpoint = checkpoint::open_checkpoint(folder.path());
  ModelCost cost(*checkpoint, {});
  const StepRoofline roofline(cost, kRates);
  for (const auto& [sequences, rows, depth] :
       {std::tuple(1, 1, 0), std::tuple(3, 1, 70), std::tuple(2, 30, 5), std::tuple(1, 90, 0)}) {
    cost.step(sequences, rows, depth);
    const Planned planned(
        std::vector<Planned::Rows>(static_cast<std::size_t>(sequences), {depth, rows}), sequences);
    const StepParts parts = roofline.parts(planned.plan);
    using backend::OpKind;
    const std::int64_t row_flops =
        cost.last_step(OpKind::matmul).flops + cost.last_step(OpKind::mlp).flops;
    EXPECT_NEAR(part(parts, StepPart::rows), seconds_of(row_flops), 1e-12);
    EXPECT_NEAR(part(parts, StepPart::logits),
                seconds_of(cost.last_step(OpKind::output_head).flops), 1e-12);
    EXPECT_NEAR(part(parts, StepPart::scores), seconds_of(cost.last_step(OpKind::attention).flops),
                1e-12);
    EXPECT_NEAR(part(parts, StepPart::keys),
                seconds_of(cost.last_step(OpKind::attention).kv_read_bytes), 1e-12);
    EXPECT_GT(part(parts, StepPart::weights), 0);
  }
}

/// Parts as they come: decodes of 1 to 16 rows with a chunk beside them now and then.
StepParts drawn_parts(std::uint32_t step) {
  const auto draw = [&](std::uint32_t which) {
    return base::uniform_draw(5, which, step, base::DrawPurpose::test);
  };
  const double decodes = 1 + 15 * draw(0);
  const double chunk = draw(1) < 0.4 ? 500 * draw(2) : 0;
  const double depth = 4000 * draw(3);
  return {0.005, 0.0005 * (decodes + chunk), 0.0003 * decodes, 1e-6 * decodes * depth,
          3e-7 * (decodes + chunk) * depth};
}

TEST(PartFactors, AreFoundFromStepsThatTakeLongerNowAndThen) {
  const std::array<double, kStepPartCount> machine{2, 0.9, 4, 1.2, 6};
  PartFactors factors;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    const StepParts parts = drawn_parts(step);
    double seconds = std::inner_product(parts.begin(), parts.end(), machine.begin(), 0.0);
    const double luck = base::uniform_draw(5, 9, step, base::DrawPurpose::test);
    seconds *= luck < 0.02 ? 5 : 0.95 + 0.1 * luck;
    factors.learn(parts, seconds);
  }
  for (std::uint32_t step = 5000; step < 5050; ++step) {
    const StepParts parts = drawn_parts(step);
    const double seconds = std::inner_product(parts.begin(), parts.end(), machine.begin(), 0.0);
    EXPECT_NEAR(factors.seconds(parts), seconds, 0.12 * seconds) << step;
  }
}

TEST(PartFactors, KeepWhatNoStepStresses) {
  PartFactors factors;
  const StepParts decode{0.005, 0.0005, 0.0003, 1e-4, 1e-5};
  const StepParts prefill{0.005, 0.25, 0, 1e-4, 1e-3};
  for (int i = 0; i < 50; ++i) factors.learn(prefill, 0.5);
  EXPECT_NEAR(factors.seconds(prefill), 0.5, 0.02);
  for (int i = 0; i < 10'000; ++i) factors.learn(decode, 0.015);
  EXPECT_NEAR(factors.seconds(decode), 0.015, 0.0005);
  EXPECT_NEAR(factors.seconds(prefill), 0.5, 0.1);
}

TEST(PartFactors, StayWithinBounds) {
  PartFactors factors;
  const StepParts parts{0.005, 0.0005, 0, 0, 0};
  factors.learn(parts, 0);
  factors.learn(parts, -1);
  factors.learn({}, 1);
  for (int i = 0; i < 1000; ++i) factors.learn(parts, 1e9);
  for (const double factor : factors.factors()) EXPECT_LE(factor, 50);
  for (int i = 0; i < 5000; ++i) factors.learn(parts, 1e-9);
  for (const double factor : factors.factors()) EXPECT_GE(factor, 0.2);
}

TEST(ModelStepPrice, LearnsFromSteps) {
  const models::TestFolder folder("llama");
  const auto checkpoint = checkpoint::open_checkpoint(folder.path());
  ModelStepPrice price(*checkpoint, {}, kRates);
  const Planned planned({{100, 1}, {0, 40}}, 1);
  const double first = price.seconds(planned.plan).value();
  EXPECT_GT(first, 0);
  for (int i = 0; i < 100; ++i) price.learn(planned.plan, 3 * first);
  EXPECT_NEAR(price.seconds(planned.plan).value(), 3 * first, 0.1 * first);
}

}  // namespace
}  // namespace cairn::perf
