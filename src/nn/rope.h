#pragma once
// Rotary position embedding of a model: which frequencies it turns by, from GGUF keys or
// config.json, with the scalings that stretch a context: linear, llama3 and YaRN (Peng et al.,
// "YaRN", 2023).

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "checkpoint/hyperparameters.h"
#include "nn/pass.h"

namespace cairn::nn {

enum class RopeScaling { none, linear, llama3, yarn };

/// Names as in Hugging Face's rope_parameters; their defaults are those of transformers.
struct RopeConfig {
  std::int64_t dimensions = 0;  // values of a head that turn; even
  double base = 10000;          // "theta"
  RopeScaling scaling = RopeScaling::none;
  double factor = 1;
  double original_context = 0;       // positions seen in training, before the stretch
  double low_frequency_factor = 1;   // llama3
  double high_frequency_factor = 4;  // llama3
  double beta_fast = 32;             // yarn
  double beta_slow = 1;              // yarn
  bool truncate = true;              // yarn: the ramp's ends are whole dimensions
  double magnitude = 1;              // of cosines and sines; yarn: usually 0.1 ln(factor) + 1
};

/// Reads rope.freq_base, rope.dimension_count and rope.scaling.*. Throws unsupported for a scaling
/// that is not known here, corrupt for numbers that cannot be.
RopeConfig read_rope_config(const checkpoint::Hyperparameters& hyperparameters,
                            std::int64_t key_dim);

/// [dimensions / 2], in f32 as Hugging Face computes them.
std::vector<float> inverse_frequencies(const RopeConfig& config);

/// A model's rotation. Layers that turn alike share one table a step.
class Rope {
 public:
  Rope() = default;
  /// `divisors` of the frequencies, [dimensions / 2] or empty: what GGUF files of llama3 models
  /// keep as "rope_freqs.weight".
  Rope(backend::Backend& backend, const RopeConfig& config, std::span<const float> divisors = {});
  /// [rows, dimensions] of this step, in the pass's workspace.
  Tensor table(Pass& pass) const;

 private:
  backend::Vector inverse_frequencies_;
  float magnitude_ = 1;
};

}  // namespace cairn::nn
