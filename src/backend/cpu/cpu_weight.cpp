#include "backend/cpu/cpu_weight.h"

#include "base/error.h"

namespace cairn::backend::cpu {

CpuWeight::CpuWeight(const WeightView& view, WeightUse use, base::ThreadPool& threads,
                     WeightMemory& memory)
    : Weight(view), layout_(find_layout(view.values.dtype)), source_(view.values) {
  if (layout_ == nullptr) {
    fail(ErrorKind::unsupported, "{}: no kernel multiplies the format {}; quantize it anew",
         view.name, tensor::format_of(view.values.dtype).name);
  }
  if (use == WeightUse::matmul) source_.data = nullptr;
  if (use == WeightUse::rows) return;
  const std::int64_t codes_per_group = layout_->codes_per_group(columns());
  const std::int64_t scales_per_group = layout_->scales_per_group(columns());
  codes_bytes_ = static_cast<std::size_t>(group_count() * codes_per_group);
  scales_bytes_ = static_cast<std::size_t>(group_count() * scales_per_group);
  codes_ = memory.allocate(codes_bytes_);
  scales_ = memory.allocate(scales_bytes_);
  const auto row_bytes = static_cast<std::int64_t>(view.values.row_bytes());
  const std::int64_t parts = std::min<std::int64_t>(group_count(), 4 * threads.worker_count());
  threads.run(parts, [&](int, std::int64_t part) {
    const base::Range share = base::share_of(group_count(), part, parts);
    for (std::int64_t group = share.begin; group < share.end; ++group) {
      const std::byte* sources[kGroupRows] = {};
      for (std::int64_t i = 0; i < kGroupRows && group * kGroupRows + i < rows(); ++i) {
        sources[i] = view.values.data + (group * kGroupRows + i) * row_bytes;
      }
      layout_->interleave(sources, columns(), codes_.get() + group * codes_per_group,
                          scales_.get() + group * scales_per_group);
    }
  });
}

Product CpuWeight::product(std::int64_t first_group, std::int64_t count) const {
  Product product{};
  product.codes_stride_bytes = layout_->codes_per_group(columns());
  product.scales_stride_bytes = layout_->scales_per_group(columns());
  product.codes = codes_.get() + first_group * product.codes_stride_bytes;
  product.scales = scales_.get() + first_group * product.scales_stride_bytes;
  product.group_count = count;
  product.inputs = columns();
  return product;
}

void CpuWeight::decode_row(std::int64_t row, float* values) const {
  CHECK(source_.data != nullptr, "{} was not prepared for rows", name());
  CHECK(row >= 0 && row < rows(), "row {} of {} in {}", row, rows(), name());
  const tensor::Format& format = tensor::format_of(dtype());
  format.decode(source_.data + static_cast<std::size_t>(row) * source_.row_bytes(), values,
                static_cast<std::size_t>(columns()) / format.values_per_block);
}

}  // namespace cairn::backend::cpu
