#pragma once
// A root-mean-square norm's weight; the norm itself is fused into the op that reads its result.

#include <string>
#include <string_view>

#include "nn/loader.h"

namespace cairn::nn {

class RmsNorm {
 public:
  RmsNorm() = default;
  /// NAME.weight [size], plus `offset` (1 where a checkpoint stores weight - 1).
  RmsNorm(const Loader& loader, std::string_view name, std::int64_t size, float epsilon,
          float offset = 0)
      : weight_(loader.vector(std::string(name) + ".weight", size, offset)), epsilon_(epsilon) {}

  /// Valid while this stands where it is.
  backend::RmsNorm op() const { return {weight_.size > 0 ? &weight_ : nullptr, epsilon_}; }

 private:
  backend::Vector weight_;
  float epsilon_ = 0;
};

}  // namespace cairn::nn
