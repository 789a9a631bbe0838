#pragma once
// The gate of a gated MLP.

#include <cstdint>

#include "backend/backend.h"

namespace cairn::backend::reference {

/// silu: x / (1 + exp(-x)).  gelu_tanh: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
float activate(Activation activation, float x);

/// gate[i] = activation(gate[i]) * up[i]
void gated(Activation activation, float* gate /*[size]*/, const float* up /*[size]*/,
           std::int64_t size);

}  // namespace cairn::backend::reference
