#pragma once
// A backend that computes nothing: the same model runs on it with shapes only and the price of each
// op is added up. Tensors need no data; key lists and write slots must be real. Not thread-safe.

#include <array>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cost/cost.h"
#include "backend/op_kind.h"

namespace cairn::backend {

class CostBackend final : public Backend {
 public:
  /// Since construction or the last reset.
  const Cost& cost(OpKind kind) const { return costs_[index_of(kind)]; }
  Cost total() const;
  void reset() { costs_ = {}; }

  std::string_view name() const override { return "cost"; }
  bool reads_values() const override { return false; }
  std::unique_ptr<Weight> prepare(const WeightView& view, WeightUse use) override;
  Vector prepare_vector(const ConstTensor& values, float offset) override;
  Buffer allocate(std::size_t size_bytes) override;

  void embed(const Weight& table, std::span<const TokenId> tokens, float scale,
             Tensor output) override;
  void matmul(const Matmul& op) override;
  void mlp(const Mlp& op) override;
  void rope_table(const RopeTable& op) override;
  void attention(const Attention& op) override;
  void add_normed(Tensor stream, Tensor branch, const RmsNorm& norm) override;
  void output_head(const OutputHead& op) override;

 private:
  std::int64_t visible_keys(std::span<const KeyList> keys);

  std::array<Cost, kOpKindCount> costs_{};
  std::vector<KeyList> sequences_;  // scratch of visible_keys
};

}  // namespace cairn::backend
