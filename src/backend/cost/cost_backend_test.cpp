#include "backend/cost/cost_backend.h"

#include <gtest/gtest.h>

#include <vector>

namespace cairn::backend {
namespace {

Tensor shaped(std::int64_t rows, std::int64_t columns) {
  return {DType::f32, {rows, columns}, nullptr};
}

TEST(CostBackend, ProductsChargeFileBytesOnceAndFlopsByRow) {
  CostBackend backend;
  const auto weight = backend.prepare({"w", {DType::q8_0, {10, 64}, nullptr}}, WeightUse::matmul);
  const Vector bias = backend.prepare_vector({DType::f16, {10}, nullptr}, 0);
  const Projection projection{weight.get(), &bias, shaped(3, 10)};
  backend.matmul({shaped(3, 64), {}, {&projection, 1}});
  const Cost cost = backend.total();
  EXPECT_EQ(cost.weight_bytes, 10 * 2 * 34 + 10 * 4);
  EXPECT_EQ(cost.flops, 2 * 3 * 10 * 64);
  EXPECT_EQ(cost.calls, 1);
  EXPECT_EQ(backend.cost(OpKind::mlp).calls, 0);
  backend.reset();
  EXPECT_EQ(backend.total().bytes(), 0);
}

TEST(CostBackend, EmbedChargesOnlyTheRowsLookedUp) {
  CostBackend backend;
  const auto table = backend.prepare({"e", {DType::f16, {100, 8}, nullptr}}, WeightUse::rows);
  const std::vector<TokenId> tokens(5);
  backend.embed(*table, tokens, 1, shaped(5, 8));
  EXPECT_EQ(backend.total().weight_bytes, 5 * 8 * 2);
}

TEST(CostBackend, AttentionReadsTheUnionOfASequencesKeysOnce) {
  CostBackend backend;
  const std::vector<PageId> first(4), second(4);
  // Rows 1 and 2 of one sequence with a window, one row of another.
  const std::vector<KeyList> keys{
      {first.data(), 5, 20}, {first.data(), 6, 21}, {second.data(), 0, 9}};
  const std::vector<std::int64_t> slots(3);
  const KvLayer kv{nullptr, nullptr, DType::f16, DType::f32, 2, 8, 4, 16};
  backend.attention({.query = shaped(3, 4 * 8),
                     .key = shaped(3, 2 * 8),
                     .value = shaped(3, 2 * 4),
                     .output = shaped(3, 4 * 4),
                     .heads = 4,
                     .query_norm = {},
                     .key_norm = {},
                     .rope_table = {},
                     .kv = &kv,
                     .keys = keys,
                     .write_slots = slots});
  constexpr std::int64_t kTokenBytes = 2 * (8 * 2 + 4 * 4);
  EXPECT_EQ(backend.total().kv_read_bytes, (16 + 9) * kTokenBytes);
  EXPECT_EQ(backend.total().kv_written_bytes, 3 * kTokenBytes);
  EXPECT_EQ(backend.total().flops, 2 * (15 + 15 + 9) * 4 * (8 + 4));
}

TEST(CostBackend, AHeadWithoutRowsCostsNothing) {
  CostBackend backend;
  const auto weight = backend.prepare({"o", {DType::f32, {7, 8}, nullptr}}, WeightUse::matmul);
  backend.output_head({.input = shaped(2, 8),
                       .rows = {},
                       .norm = {},
                       .weight = weight.get(),
                       .logits = shaped(0, 7)});
  EXPECT_EQ(backend.total().bytes(), 0);
  EXPECT_EQ(backend.total().flops, 0);
}

}  // namespace
}  // namespace cairn::backend
