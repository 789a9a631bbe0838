#include "backend/cost/cost_backend.h"

#include <algorithm>

namespace cairn::backend {
namespace {

class ShapeOnlyWeight final : public Weight {
 public:
  explicit ShapeOnlyWeight(const WeightView& view) : Weight(view) {}
};

/// Vectors are f32 once prepared.
std::int64_t bytes_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size * static_cast<std::int64_t>(sizeof(float));
}

Cost product(const Weight& weight, const Vector* bias, std::int64_t rows) {
  Cost cost;
  if (rows == 0) return cost;
  cost.weight_bytes = static_cast<std::int64_t>(weight.file_bytes()) + bytes_of(bias);
  cost.flops = 2 * rows * weight.rows() * weight.columns();
  return cost;
}

std::int64_t bytes_of_token(const KvLayer& kv) {
  return (kv.key_side().page_bytes() + kv.value_side().page_bytes()) / kv.page_tokens;
}

}  // namespace

Cost CostBackend::total() const {
  Cost sum;
  for (const Cost& cost : costs_) sum += cost;
  return sum;
}

std::unique_ptr<Weight> CostBackend::prepare(const WeightView& view, WeightUse) {
  return std::make_unique<ShapeOnlyWeight>(view);
}

Vector CostBackend::prepare_vector(const ConstTensor& values, float) {
  return {Buffer(), values.shape.elements()};
}

Buffer CostBackend::allocate(std::size_t) {
  return {};
}

void CostBackend::embed(const Weight& table, std::span<const TokenId> tokens, float, Tensor) {
  const auto row_bytes = static_cast<std::int64_t>(table.file_bytes()) / table.rows();
  Cost cost{.calls = 1};
  cost.weight_bytes = row_bytes * static_cast<std::int64_t>(tokens.size());
  costs_[index_of(OpKind::embed)] += cost;
}

void CostBackend::matmul(const Matmul& op) {
  Cost cost{.calls = 1, .weight_bytes = bytes_of(op.norm.weight)};
  for (const Projection& projection : op.projections) {
    cost += product(*projection.weight, projection.bias, op.input.rows());
  }
  costs_[index_of(OpKind::matmul)] += cost;
}

void CostBackend::mlp(const Mlp& op) {
  const std::int64_t rows = op.input.rows();
  Cost cost{.calls = 1, .weight_bytes = bytes_of(op.norm.weight)};
  cost += product(*op.gate, op.gate_bias, rows);
  cost += product(*op.up, op.up_bias, rows);
  cost += product(*op.down, op.down_bias, rows);
  costs_[index_of(OpKind::mlp)] += cost;
}

void CostBackend::rope_table(const RopeTable& op) {
  costs_[index_of(OpKind::rope_table)] +=
      Cost{.calls = 1, .weight_bytes = bytes_of(op.inverse_frequencies)};
}

/// Rows of one sequence share their reads: the union of their lists, per sequence.
std::int64_t CostBackend::visible_keys(std::span<const KeyList> keys) {
  sequences_.clear();
  for (const KeyList& list : keys) {
    const auto same = std::find_if(sequences_.begin(), sequences_.end(),
                                   [&](const KeyList& s) { return s.pages == list.pages; });
    if (same == sequences_.end()) {
      sequences_.push_back(list);
    } else {
      same->first = std::min(same->first, list.first);
      same->end = std::max(same->end, list.end);
    }
  }
  std::int64_t count = 0;
  for (const KeyList& sequence : sequences_) count += sequence.end - sequence.first;
  return count;
}

void CostBackend::attention(const Attention& op) {
  const KvLayer& kv = *op.kv;
  std::int64_t pairs = 0;  // (query row, visible key)
  for (const KeyList& list : op.keys) pairs += list.end - list.first;
  Cost cost{.calls = 1};
  cost.weight_bytes = bytes_of(op.query_norm.weight) + bytes_of(op.key_norm.weight);
  cost.kv_read_bytes = visible_keys(op.keys) * bytes_of_token(kv);
  cost.kv_written_bytes = op.query.rows() * bytes_of_token(kv);
  cost.flops = 2 * pairs * op.heads * (std::int64_t{kv.key_dim} + kv.value_dim);
  costs_[index_of(OpKind::attention)] += cost;
}

void CostBackend::add_normed(Tensor, Tensor, const RmsNorm& norm) {
  costs_[index_of(OpKind::add_normed)] += Cost{.calls = 1, .weight_bytes = bytes_of(norm.weight)};
}

void CostBackend::output_head(const OutputHead& op) {
  const auto rows = static_cast<std::int64_t>(op.rows.size());
  Cost cost{.calls = 1, .weight_bytes = rows == 0 ? 0 : bytes_of(op.norm.weight)};
  cost += product(*op.weight, op.bias, rows);
  costs_[index_of(OpKind::output_head)] += cost;
}

}  // namespace cairn::backend
