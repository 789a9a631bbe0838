#include "backend/reference/reference_backend.h"

#include <cmath>
#include <vector>

#include "backend/reference/activation.h"
#include "backend/reference/attention.h"
#include "backend/reference/matmul.h"
#include "backend/reference/norm.h"
#include "backend/reference/rope.h"

namespace cairn::backend {
namespace {

using namespace reference;  // NOLINT: the ops' loops

class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(Context& context)
      : threads_(context.threads),
        decoded_(static_cast<std::size_t>(threads_.worker_count())),
        attention_(static_cast<std::size_t>(threads_.worker_count())) {}

  std::string_view name() const override { return "reference"; }

  std::unique_ptr<Weight> prepare(const WeightView& view, WeightUse use) override {
    return std::make_unique<PlainWeight>(view, use);
  }

  Vector prepare_vector(const ConstTensor& values, float offset) override {
    const std::int64_t size = values.shape.elements();
    Vector vector{Buffer(static_cast<std::size_t>(size) * sizeof(float)), size};
    auto* floats = reinterpret_cast<float*>(vector.memory.data());
    tensor::decode_to_floats(values, {floats, static_cast<std::size_t>(size)});
    for (std::int64_t i = 0; i < size; ++i) floats[i] += offset;
    return vector;
  }

  Buffer allocate(std::size_t size_bytes) override { return Buffer(size_bytes); }

  void embed(const Weight& table, std::span<const TokenId> tokens, float scale,
             Tensor output) override {
    const auto& weight = static_cast<const PlainWeight&>(table);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      float* values = output.row(static_cast<std::int64_t>(row));
      weight.decode_row(tokens[row].value, values);
      for (std::int64_t i = 0; i < output.columns(); ++i) values[i] *= scale;
    }
  }

  void matmul(const Matmul& op) override {
    const float* input = normed(op.input, op.norm);
    for (const Projection& projection : op.projections) {
      project(threads_, decoded_, input, op.input.rows(), projection);
    }
  }

  void mlp(const Mlp& op) override {
    const std::int64_t rows = op.input.rows();
    const float* input = normed(op.input, op.norm);
    const Tensor gate = view_of(gate_, rows, op.gate->rows());
    const Tensor up = view_of(up_, rows, op.up->rows());
    project(threads_, decoded_, input, rows, {op.gate, op.gate_bias, gate, Store::assign});
    project(threads_, decoded_, input, rows, {op.up, op.up_bias, up, Store::assign});
    threads_.run(rows, [&](int, std::int64_t row) {
      gated(op.activation, gate.row(row), up.row(row), gate.columns());
    });
    project(threads_, decoded_, gate.floats(), rows, {op.down, op.down_bias, op.output, op.store});
  }

  void rope_table(const RopeTable& op) override { fill_rope_table(op); }
  void attention(const Attention& op) override { attend(threads_, attention_, op); }

  void add_normed(Tensor stream, Tensor branch, const RmsNorm& norm) override {
    const float* values = normed(branch, norm);
    float* sum = stream.floats();
    for (std::int64_t i = 0; i < stream.shape.elements(); ++i) sum[i] += values[i];
  }

  void output_head(const OutputHead& op) override {
    const std::int64_t width = op.input.columns();
    const auto rows = static_cast<std::int64_t>(op.rows.size());
    const Tensor input = view_of(normed_, rows, width);
    for (std::int64_t row = 0; row < rows; ++row) {
      rms_norm(op.norm, op.input.row(op.rows[static_cast<std::size_t>(row)]), input.row(row),
               width);
    }
    project(threads_, decoded_, input.floats(), rows,
            {op.weight, op.bias, op.logits, Store::assign});
    float* logits = op.logits.floats();
    for (std::int64_t i = 0; i < op.logits.shape.elements(); ++i) {
      logits[i] *= op.scale;
      if (op.softcap > 0) logits[i] = op.softcap * std::tanh(logits[i] / op.softcap);
    }
  }

 private:
  /// Memory for [rows, columns] that grows to the largest step seen.
  static Tensor view_of(std::vector<float>& memory, std::int64_t rows, std::int64_t columns) {
    const auto size = static_cast<std::size_t>(rows * columns);
    if (memory.size() < size) memory.resize(size);
    return {DType::f32, {rows, columns}, reinterpret_cast<std::byte*>(memory.data())};
  }

  /// The rows after the norm, in scratch that lives until the next call.
  const float* normed(const Tensor& input, const RmsNorm& norm) {
    const Tensor output = view_of(normed_, input.rows(), input.columns());
    for (std::int64_t row = 0; row < input.rows(); ++row) {
      rms_norm(norm, input.row(row), output.row(row), input.columns());
    }
    return output.floats();
  }

  base::ThreadPool& threads_;
  WorkerRows decoded_;
  std::vector<AttentionScratch> attention_;
  std::vector<float> normed_;
  std::vector<float> gate_;
  std::vector<float> up_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(Context& context) {
  return std::make_unique<ReferenceBackend>(context);
}

}  // namespace cairn::backend
