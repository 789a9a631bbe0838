#pragma once
// A decorator around any backend: passes each op on and notes how often, on how many rows and for
// how long it ran, and with a meter how busy the workers were meanwhile. Weights and buffers are
// the inner backend's own. Used by one thread, as any backend.

#include <array>
#include <cstdint>

#include "backend/backend.h"
#include "backend/op_kind.h"
#include "base/clock.h"
#include "base/work_meter.h"

namespace cairn::backend {

struct OpTrace {
  std::int64_t calls = 0;
  std::int64_t rows = 0;
  double seconds = 0;
  base::WorkTimes work;  // zero without a meter
};

class TraceBackend final : public Backend {
 public:
  /// All must outlive this. `meter`: the one that the inner backend's threads have; may be null.
  TraceBackend(Backend& inner, const base::Clock& clock, const base::WorkMeter* meter = nullptr)
      : inner_(inner), clock_(clock), meter_(meter) {}

  /// Since construction or the last reset.
  const OpTrace& trace(OpKind kind) const { return traces_[index_of(kind)]; }
  void reset() { traces_ = {}; }

  std::string_view name() const override { return inner_.name(); }
  bool reads_values() const override { return inner_.reads_values(); }
  std::unique_ptr<Weight> prepare(const WeightView& view, WeightUse use) override {
    return inner_.prepare(view, use);
  }
  Vector prepare_vector(const ConstTensor& values, float offset) override {
    return inner_.prepare_vector(values, offset);
  }
  Buffer allocate(std::size_t size_bytes) override { return inner_.allocate(size_bytes); }

  void embed(const Weight& table, std::span<const TokenId> tokens, float scale,
             Tensor output) override;
  void matmul(const Matmul& op) override;
  void mlp(const Mlp& op) override;
  void rope_table(const RopeTable& op) override;
  void attention(const Attention& op) override;
  void add_normed(Tensor stream, Tensor branch, const RmsNorm& norm) override;
  void output_head(const OutputHead& op) override;

 private:
  template <class Run>
  void timed(OpKind kind, std::int64_t rows, Run run);

  Backend& inner_;
  const base::Clock& clock_;
  const base::WorkMeter* meter_;
  std::array<OpTrace, kOpKindCount> traces_{};
};

}  // namespace cairn::backend
