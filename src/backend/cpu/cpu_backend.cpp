#include "backend/cpu/cpu_backend.h"

#include <string>

#include "backend/cpu/attention_ops.h"
#include "backend/cpu/cpu_weight.h"
#include "backend/cpu/linear_ops.h"
#include "backend/cpu/select_isa.h"

namespace cairn::backend {
namespace {

// Rows below which handing them out costs more than doing them.
constexpr std::int64_t kRowsWorthSharing = 4;

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(Context& context)
      : threads_(context.threads),
        kernels_(cpu::select_isa()),
        name_(std::string("cpu-") + kernels_.name),
        linear_(threads_, kernels_),
        attention_(threads_, kernels_),
        normed_(static_cast<std::size_t>(threads_.worker_count())) {}

  std::string_view name() const override { return name_; }

  std::unique_ptr<Weight> prepare(const WeightView& view, WeightUse use) override {
    return std::make_unique<cpu::CpuWeight>(view, use, threads_, weight_memory_);
  }

  Vector prepare_vector(const ConstTensor& values, float offset) override {
    const std::int64_t size = values.shape.elements();
    Vector vector{Buffer(static_cast<std::size_t>(size) * sizeof(float)), size};
    auto* floats = static_cast<float*>(static_cast<void*>(vector.memory.data()));
    tensor::decode_to_floats(values, {floats, static_cast<std::size_t>(size)});
    for (std::int64_t i = 0; i < size; ++i) floats[i] += offset;
    return vector;
  }

  Buffer allocate(std::size_t size_bytes) override { return Buffer(size_bytes); }

  void embed(const Weight& table, std::span<const TokenId> tokens, float scale,
             Tensor output) override {
    const cpu::CpuWeight& weight = cpu::cpu_weight(table);
    share_rows(output.rows(), [&](std::int64_t row, int) {
      weight.decode_row(tokens[static_cast<std::size_t>(row)].value, output.row(row));
      if (scale != 1) kernels_.scale_and_cap(output.row(row), output.columns(), scale, 0);
    });
  }

  void matmul(const Matmul& op) override { linear_.matmul(op); }
  void mlp(const Mlp& op) override { linear_.mlp(op); }
  void rope_table(const RopeTable& op) override { attention_.rope_table(op); }
  void attention(const Attention& op) override { attention_.attention(op); }
  void output_head(const OutputHead& op) override { linear_.output_head(op); }

  void add_normed(Tensor stream, Tensor branch, const RmsNorm& norm) override {
    const std::int64_t width = stream.columns();
    for (cpu::Scratch& memory : normed_) {
      memory.reserve(static_cast<std::size_t>(width) * sizeof(float));
    }
    share_rows(stream.rows(), [&](std::int64_t row, int worker) {
      const float* values = branch.row(row);
      if (norm.weight != nullptr) {
        std::byte* memory = normed_[static_cast<std::size_t>(worker)].reserve(0);
        auto* normed = static_cast<float*>(static_cast<void*>(memory));
        kernels_.rms_norm(values, norm.weight->values(), width, norm.epsilon, normed);
        values = normed;
      }
      kernels_.add(stream.row(row), values, width);
    });
  }

 private:
  template <class Visit>
  void share_rows(std::int64_t rows, Visit visit) {
    if (rows < kRowsWorthSharing) {
      for (std::int64_t row = 0; row < rows; ++row) visit(row, 0);
      return;
    }
    const int parts = threads_.worker_count();
    threads_.run(parts, [&](int worker, std::int64_t part) {
      const base::Range share = base::share_of(rows, part, parts);
      for (std::int64_t row = share.begin; row < share.end; ++row) visit(row, worker);
    });
  }

  base::ThreadPool& threads_;
  const cpu::KernelTable& kernels_;
  std::string name_;
  cpu::WeightMemory weight_memory_;
  cpu::LinearOps linear_;
  cpu::AttentionOps attention_;
  std::vector<cpu::Scratch> normed_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(Context& context) {
  return std::make_unique<CpuBackend>(context);
}

}  // namespace cairn::backend
