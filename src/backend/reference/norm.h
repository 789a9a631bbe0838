#pragma once
// Root-mean-square norm (Zhang and Sennrich, "Root mean square layer normalization", 2019).

#include <cstdint>

#include "backend/backend.h"

namespace cairn::backend::reference {

/// output = input / sqrt(mean(input^2) + epsilon) * weight, the mean summed as dot.h says. Without
/// a weight the values are copied. `output` may be `input`.
void rms_norm(const RmsNorm& norm, const float* input /*[size]*/, float* output /*[size]*/,
              std::int64_t size);

}  // namespace cairn::backend::reference
