#include "backend/reference/activation.h"

#include <cmath>

namespace cairn::backend::reference {
namespace {

float silu(float x) {
  return x / (1.0F + std::exp(-x));
}

float gelu_tanh(float x) {
  constexpr float kRootTwoOverPi = 0.7978845608028654F;
  return 0.5F * x * (1.0F + std::tanh(kRootTwoOverPi * (x + 0.044715F * x * x * x)));
}

}  // namespace

float activate(Activation activation, float x) {
  return activation == Activation::silu ? silu(x) : gelu_tanh(x);
}

void gated(Activation activation, float* gate, const float* up, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) gate[i] = activate(activation, gate[i]) * up[i];
}

}  // namespace cairn::backend::reference
