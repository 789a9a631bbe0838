#include "backend/trace/trace_backend.h"

#include <gtest/gtest.h>

#include <vector>

#include "backend/cost/cost_backend.h"

namespace cairn::backend {
namespace {

TEST(TraceBackend, PassesOpsOnAndCountsThem) {
  CostBackend inner;
  base::VirtualClock clock;
  TraceBackend traced(inner, clock);
  const auto table = traced.prepare({"e", {DType::f16, {100, 8}, nullptr}}, WeightUse::rows);
  const std::vector<TokenId> tokens(5);
  for (int step = 0; step < 2; ++step) {
    traced.embed(*table, tokens, 1, {DType::f32, {5, 8}, nullptr});
  }
  EXPECT_EQ(inner.cost(OpKind::embed).calls, 2);
  EXPECT_EQ(traced.trace(OpKind::embed).calls, 2);
  EXPECT_EQ(traced.trace(OpKind::embed).rows, 10);
  EXPECT_EQ(traced.trace(OpKind::mlp).calls, 0);
  EXPECT_EQ(traced.name(), inner.name());
  traced.reset();
  EXPECT_EQ(traced.trace(OpKind::embed).calls, 0);
}

TEST(TraceBackend, MeasuresWithTheGivenClock) {
  class Stopwatch final : public base::Clock {  // a second a look
   public:
    base::TimePoint now() const override { return {.nanoseconds = 1'000'000'000 * ++looks_}; }

   private:
    mutable std::int64_t looks_ = 0;
  };
  CostBackend inner;
  const Stopwatch clock;
  TraceBackend traced(inner, clock);
  traced.rope_table({{}, nullptr, 1, {DType::f32, {3, 8}, nullptr}});
  EXPECT_DOUBLE_EQ(traced.trace(OpKind::rope_table).seconds, 1.0);
}

}  // namespace
}  // namespace cairn::backend
