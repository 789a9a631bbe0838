#include "backend/reference/matmul.h"

#include <cstring>

#include "backend/reference/dot.h"

namespace cairn::backend::reference {

PlainWeight::PlainWeight(const WeightView& view, WeightUse use)
    : Weight(view), data_(view.values.data), row_bytes_(view.values.row_bytes()) {
  if (use != WeightUse::matmul) return;
  copy_ = Buffer(view.values.size_bytes());
  std::memcpy(copy_.data(), view.values.data, view.values.size_bytes());
  data_ = copy_.data();
}

void PlainWeight::decode_row(std::int64_t row, float* values) const {
  CHECK(row >= 0 && row < rows(), "row {} of {} in {}", row, rows(), name());
  const tensor::Format& format = tensor::format_of(dtype());
  format.decode(data_ + static_cast<std::size_t>(row) * row_bytes_, values,
                static_cast<std::size_t>(columns()) / format.values_per_block);
}

void project(base::ThreadPool& threads, WorkerRows& decoded, const float* input, std::int64_t rows,
             const Projection& projection) {
  const auto& weight = static_cast<const PlainWeight&>(*projection.weight);
  const std::int64_t columns = weight.columns();
  CHECK(projection.output.columns() == weight.rows(), "{}: {} outputs, tensor of {}", weight.name(),
        weight.rows(), projection.output.columns());
  const float* bias = projection.bias == nullptr ? nullptr : projection.bias->values();
  const int parts = threads.worker_count();
  threads.run(parts, [&](int worker, std::int64_t part) {
    std::vector<float>& values = decoded[static_cast<std::size_t>(worker)];
    if (values.size() < static_cast<std::size_t>(columns)) {
      values.resize(static_cast<std::size_t>(columns));
    }
    const base::Range share = base::share_of(weight.rows(), part, parts);
    for (std::int64_t output = share.begin; output < share.end; ++output) {
      weight.decode_row(output, values.data());
      for (std::int64_t row = 0; row < rows; ++row) {
        float result = dot(values.data(), input + row * columns, columns);
        if (bias != nullptr) result += bias[output];
        float& place = projection.output.row(row)[output];
        place = projection.store == Store::add ? place + result : result;
      }
    }
  });
}

}  // namespace cairn::backend::reference
