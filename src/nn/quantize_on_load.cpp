#include "nn/quantize_on_load.h"

#include <vector>

#include "base/error.h"

namespace cairn::nn {
namespace {

/// Formats of one value a block keep 16 or 32 bits each: the ones worth quantizing.
bool is_plain(DType dtype) {
  return tensor::format_of(dtype).values_per_block == 1;
}

bool divides(std::int64_t columns, const tensor::Format& format) {
  return columns % format.values_per_block == 0;
}

void encode_rows(const backend::WeightView& view, const tensor::Format& target, base::Range rows,
                 std::byte* blocks) {
  const tensor::Format& source = tensor::format_of(view.values.dtype);
  const auto columns = static_cast<std::size_t>(view.values.columns());
  const std::size_t source_bytes = view.values.row_bytes();
  const std::size_t target_bytes = columns / target.values_per_block * target.bytes_per_block;
  std::vector<float> values(columns);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const auto index = static_cast<std::size_t>(row);
    source.decode(view.values.data + index * source_bytes, values.data(), columns);
    target.encode(values.data(), blocks + index * target_bytes, columns / target.values_per_block);
  }
}

}  // namespace

DType target_format(const backend::WeightView& view, const LoadOptions& options) {
  const DType own = view.values.dtype;
  if (options.quantize_to == DType::none || !is_plain(own)) return own;
  const tensor::Format& wanted = tensor::format_of(options.quantize_to);
  if (wanted.encode == nullptr) {
    fail(ErrorKind::unsupported,
         "weights cannot be quantized to {}: this format is only read; try q8_0", wanted.name);
  }
  const std::int64_t columns = view.values.columns();
  if (divides(columns, wanted)) return wanted.dtype;
  const DType fallback = divides(columns, tensor::format_of(DType::q8_0)) ? DType::q8_0 : own;
  if (options.context != nullptr) {
    options.context->log.info("{}: rows of {} do not divide into blocks of {}; kept as {}",
                              view.name, columns, wanted.name, tensor::format_of(fallback).name);
  }
  return fallback;
}

Buffer encode_as(const backend::WeightView& view, DType target, const LoadOptions& options) {
  const tensor::Format& format = tensor::format_of(target);
  const ConstTensor shape{target, view.values.shape, nullptr};
  Buffer blocks(shape.size_bytes());
  const std::int64_t rows = view.values.rows();
  if (options.context == nullptr) {
    encode_rows(view, format, {0, rows}, blocks.data());
    return blocks;
  }
  base::ThreadPool& threads = options.context->threads;
  const std::int64_t parts = std::min<std::int64_t>(rows, 4 * threads.worker_count());
  threads.run(parts, [&](int, std::int64_t part) {
    encode_rows(view, format, base::share_of(rows, part, parts), blocks.data());
  });
  return blocks;
}

}  // namespace cairn::nn
