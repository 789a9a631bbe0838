#include "nn/loader.h"

#include <fmt/format.h>

#include "nn/quantize_on_load.h"

namespace cairn::nn {

LoadedWeight Loader::weight(std::string_view name, std::int64_t rows, std::int64_t columns,
                            backend::WeightUse use) const {
  const ConstTensor source = source_.tensor(name, {rows, columns});
  backend::WeightView view{prefix_ + std::string(name), source};
  LoadedWeight loaded;
  const DType target = target_format(view, *options_);
  const bool encoded = target != source.dtype;
  if (encoded) {
    if (backend_->reads_values()) loaded.bytes = encode_as(view, target, *options_);
    view.values = {target, source.shape, loaded.bytes.data()};
  }
  loaded.weight = backend_->prepare(view, use);
  const bool rows_stay = use != backend::WeightUse::matmul;
  if (encoded && !rows_stay) loaded.bytes = Buffer();
  release(source);  // rows that are looked up are read again when they are
  if (options_->on_weight) options_->on_weight(static_cast<std::int64_t>(source.size_bytes()));
  return loaded;
}

backend::Vector Loader::vector(std::string_view name, std::int64_t size, float offset) const {
  const ConstTensor source = source_.tensor(name, {size});
  backend::Vector vector = backend_->prepare_vector(source, offset);
  release(source);
  return vector;
}

void Loader::release(const ConstTensor& source) const {
  if (backend_->reads_values()) source_.release(source);
}

std::vector<float> Loader::floats(std::string_view name, std::int64_t size) const {
  std::vector<float> values(static_cast<std::size_t>(size));
  tensor::decode_to_floats(source_.tensor(name, {size}), values);
  return values;
}

std::optional<backend::Vector> Loader::optional_vector(std::string_view name,
                                                       std::int64_t size) const {
  if (!source_.optional_tensor(name, {size})) return std::nullopt;
  return vector(name, size);
}

std::string layer_name(std::int64_t layer) {
  return fmt::format("blk.{}", layer);
}

}  // namespace cairn::nn
