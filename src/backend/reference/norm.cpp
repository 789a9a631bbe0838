#include "backend/reference/norm.h"

#include <cmath>

#include "backend/reference/dot.h"

namespace cairn::backend::reference {

void rms_norm(const RmsNorm& norm, const float* input, float* output, std::int64_t size) {
  if (norm.weight == nullptr) {
    for (std::int64_t i = 0; i < size; ++i) output[i] = input[i];
    return;
  }
  CHECK(norm.weight->size == size, "norm of {} values, row of {}", norm.weight->size, size);
  const float mean_square = dot(input, input, size) / static_cast<float>(size);
  const float inverse = 1.0F / std::sqrt(mean_square + norm.epsilon);
  const float* weight = norm.weight->values();
  for (std::int64_t i = 0; i < size; ++i) output[i] = input[i] * inverse * weight[i];
}

}  // namespace cairn::backend::reference
