#include "backend/trace/trace_backend.h"

namespace cairn::backend {

template <class Run>
void TraceBackend::timed(OpKind kind, std::int64_t rows, Run run) {
  const base::WorkTimes before = meter_ != nullptr ? meter_->total() : base::WorkTimes();
  const base::TimePoint begin = clock_.now();
  run();
  OpTrace& trace = traces_[index_of(kind)];
  trace.seconds += base::seconds_between(begin, clock_.now());
  trace.calls += 1;
  trace.rows += rows;
  if (meter_ == nullptr) return;
  const base::WorkTimes after = meter_->total();
  trace.work.run_seconds += after.run_seconds - before.run_seconds;
  trace.work.busy_seconds += after.busy_seconds - before.busy_seconds;
}

void TraceBackend::embed(const Weight& table, std::span<const TokenId> tokens, float scale,
                         Tensor output) {
  timed(OpKind::embed, output.rows(), [&] { inner_.embed(table, tokens, scale, output); });
}

void TraceBackend::matmul(const Matmul& op) {
  timed(OpKind::matmul, op.input.rows(), [&] { inner_.matmul(op); });
}

void TraceBackend::mlp(const Mlp& op) {
  timed(OpKind::mlp, op.input.rows(), [&] { inner_.mlp(op); });
}

void TraceBackend::rope_table(const RopeTable& op) {
  timed(OpKind::rope_table, op.table.rows(), [&] { inner_.rope_table(op); });
}

void TraceBackend::attention(const Attention& op) {
  timed(OpKind::attention, op.query.rows(), [&] { inner_.attention(op); });
}

void TraceBackend::add_normed(Tensor stream, Tensor branch, const RmsNorm& norm) {
  timed(OpKind::add_normed, stream.rows(), [&] { inner_.add_normed(stream, branch, norm); });
}

void TraceBackend::output_head(const OutputHead& op) {
  timed(OpKind::output_head, static_cast<std::int64_t>(op.rows.size()),
        [&] { inner_.output_head(op); });
}

}  // namespace cairn::backend
