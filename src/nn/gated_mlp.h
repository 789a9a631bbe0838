#pragma once
// down(activation(gate(x)) * up(x)): SwiGLU and GeGLU (Shazeer, "GLU variants improve
// transformer").

#include "nn/linear.h"
#include "nn/pass.h"

namespace cairn::nn {

class GatedMlp {
 public:
  GatedMlp() = default;
  /// ffn_gate, ffn_up [hidden, width] and ffn_down [width, hidden], with their biases if there.
  GatedMlp(const Loader& loader, std::int64_t width, std::int64_t hidden,
           backend::Activation activation)
      : gate_(loader, "ffn_gate", hidden, width),
        up_(loader, "ffn_up", hidden, width),
        down_(loader, "ffn_down", width, hidden),
        activation_(activation) {}

  void forward(Pass& pass, Tensor input /*[rows, width]*/, const backend::RmsNorm& norm,
               Tensor output /*[rows, width]*/, backend::Store store) const {
    pass.backend.mlp({.input = input,
                      .norm = norm,
                      .gate = gate_.weight(),
                      .up = up_.weight(),
                      .down = down_.weight(),
                      .gate_bias = gate_.bias(),
                      .up_bias = up_.bias(),
                      .down_bias = down_.bias(),
                      .activation = activation_,
                      .output = output,
                      .store = store});
  }

 private:
  Linear gate_;
  Linear up_;
  Linear down_;
  backend::Activation activation_ = backend::Activation::silu;
};

}  // namespace cairn::nn
