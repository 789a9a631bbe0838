#pragma once
// How a model's constructor gets its weights: by name, with the shape it expects. A Loader is a
// checkpoint::WeightSource plus the backend that prepares what it finds. Used by one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "checkpoint/source.h"
#include "nn/load_options.h"

namespace cairn::nn {

/// A prepared matrix and, where rows are looked up in a weight quantized while loading, its bytes.
struct LoadedWeight {
  std::unique_ptr<backend::Weight> weight;
  Buffer bytes;
};

class Loader {
 public:
  Loader(backend::Backend& backend, checkpoint::WeightSource source, const LoadOptions& options)
      : backend_(&backend), source_(std::move(source)), options_(&options) {}

  /// The same, with names below `name`: scope("blk.3").
  Loader scope(std::string_view name) const {
    Loader below(*backend_, source_.scope(name), *options_);
    below.prefix_ = prefix_ + std::string(name) + '.';
    return below;
  }
  bool has(std::string_view name) const { return source_.has(name); }
  backend::Backend& backend() const { return *backend_; }

  /// Throws corrupt, naming file and tensor, if it is missing or not [rows, columns]. The file's
  /// memory is given back once the weight is prepared, unless rows are looked up in it.
  LoadedWeight weight(std::string_view name, std::int64_t rows, std::int64_t columns,
                      backend::WeightUse use) const;
  /// The same for [size]; `offset` is added to each value.
  backend::Vector vector(std::string_view name, std::int64_t size, float offset = 0) const;
  /// The same, decoded, for what a constructor computes with.
  std::vector<float> floats(std::string_view name, std::int64_t size) const;
  /// Nothing if the file has no such tensor.
  std::optional<backend::Vector> optional_vector(std::string_view name, std::int64_t size) const;

  /// Throws unsupported if the file holds tensors that nobody asked for, except those whose names
  /// begin as `ignorable` say.
  void require_all_used(std::span<const std::string_view> ignorable = {}) const {
    source_.require_all_used(ignorable);
  }

 private:
  void release(const ConstTensor& source) const;

  backend::Backend* backend_;
  checkpoint::WeightSource source_;
  const LoadOptions* options_;
  std::string prefix_;  // of names in messages and profiles
};

/// "blk.3"
std::string layer_name(std::int64_t layer);

}  // namespace cairn::nn
