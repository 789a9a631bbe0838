#pragma once
// y = W x (+ b)

#include <optional>
#include <string_view>

#include "nn/loader.h"

namespace cairn::nn {

class Linear {
 public:
  Linear() = default;
  /// NAME.weight [outputs, inputs], and NAME.bias [outputs] if the file has it.
  Linear(const Loader& loader, std::string_view name, std::int64_t outputs, std::int64_t inputs);

  const backend::Weight* weight() const { return loaded_.weight.get(); }
  const backend::Vector* bias() const { return bias_ ? &*bias_ : nullptr; }
  backend::Projection into(Tensor output, backend::Store store = backend::Store::assign) const {
    return {weight(), bias(), output, store};
  }

 private:
  LoadedWeight loaded_;
  std::optional<backend::Vector> bias_;
};

}  // namespace cairn::nn
