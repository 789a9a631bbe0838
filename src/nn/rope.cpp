#include "nn/rope.h"

#include <array>
#include <cmath>
#include <string>

#include "base/error.h"

namespace cairn::nn {
namespace {

using checkpoint::Hyperparameters;

struct ScalingName {
  std::string_view name;
  RopeScaling scaling;
};
constexpr std::array kScalings{
    ScalingName{"none", RopeScaling::none},     ScalingName{"default", RopeScaling::none},
    ScalingName{"linear", RopeScaling::linear}, ScalingName{"llama3", RopeScaling::llama3},
    ScalingName{"yarn", RopeScaling::yarn},
};

RopeScaling read_scaling(const Hyperparameters& hyperparameters) {
  const auto name = hyperparameters.text("rope.scaling.type");
  if (!name) return RopeScaling::none;
  for (const ScalingName& known : kScalings) {
    if (*name == known.name) return known.scaling;
  }
  fail(ErrorKind::unsupported,
       "{}: \"{}\" is \"{}\"; this build knows default, linear, llama3 and yarn",
       hyperparameters.checkpoint().metadata().source(),
       hyperparameters.key_of("rope.scaling.type"), *name);
}

std::int64_t read_dimensions(const Hyperparameters& hyperparameters, std::int64_t key_dim) {
  const double part = hyperparameters.number("rope.partial_rotary_factor").value_or(1.0);
  const std::int64_t dimensions =
      hyperparameters.integer("rope.dimension_count")
          .value_or(static_cast<std::int64_t>(part * static_cast<double>(key_dim)));
  if (dimensions <= 0 || dimensions > key_dim || dimensions % 2 != 0) {
    fail(ErrorKind::corrupt, "{}: \"{}\" turns {} values of a head of {}, expected an even number",
         hyperparameters.checkpoint().metadata().source(),
         hyperparameters.key_of("rope.dimension_count"), dimensions, key_dim);
  }
  return dimensions;
}

/// A setting that divides or is a logarithm's argument.
double positive(const Hyperparameters& hyperparameters, std::string_view name, double fallback) {
  const double value = hyperparameters.number(name).value_or(fallback);
  if (value > 0 && value < 1e30) return value;
  fail(ErrorKind::corrupt, "{}: \"{}\" is {}, expected a positive number",
       hyperparameters.checkpoint().metadata().source(), hyperparameters.key_of(name), value);
}

/// GGUF's attn_factor multiplies the usual factor; Hugging Face's attention_factor replaces it, and
/// a pair of mscales (DeepSeek) gives it as a quotient.
double read_attention_factor(const Hyperparameters& hyperparameters, double factor) {
  if (const auto whole = hyperparameters.number("rope.scaling.attention_factor")) return *whole;
  const auto usual = [factor](double scale) {
    return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
  };
  const auto over = hyperparameters.number("rope.scaling.mscale");
  const auto under = hyperparameters.number("rope.scaling.mscale_all_dim");
  if (over && under && *over != 0 && *under != 0) return usual(*over) / usual(*under);
  return hyperparameters.number("rope.scaling.attn_factor").value_or(1.0) * usual(1.0);
}

}  // namespace

RopeConfig read_rope_config(const Hyperparameters& hyperparameters, std::int64_t key_dim) {
  RopeConfig config;
  config.dimensions = read_dimensions(hyperparameters, key_dim);
  config.base = positive(hyperparameters, "rope.freq_base", config.base);
  config.scaling = read_scaling(hyperparameters);
  if (config.scaling == RopeScaling::none) return config;
  config.factor = positive(hyperparameters, "rope.scaling.factor", config.factor);
  if (config.scaling == RopeScaling::linear) return config;
  const double trained = static_cast<double>(hyperparameters.integer("context_length").value_or(0));
  config.original_context =
      positive(hyperparameters, "rope.scaling.original_context_length", trained);
  config.low_frequency_factor =
      positive(hyperparameters, "rope.scaling.low_freq_factor", config.low_frequency_factor);
  config.high_frequency_factor =
      positive(hyperparameters, "rope.scaling.high_freq_factor", config.high_frequency_factor);
  config.beta_fast = positive(hyperparameters, "rope.scaling.yarn_beta_fast", config.beta_fast);
  config.beta_slow = positive(hyperparameters, "rope.scaling.yarn_beta_slow", config.beta_slow);
  config.truncate = hyperparameters.boolean("rope.scaling.truncate").value_or(true);
  if (config.scaling == RopeScaling::yarn) {
    config.magnitude = read_attention_factor(hyperparameters, config.factor);
  }
  return config;
}

Rope::Rope(backend::Backend& backend, const RopeConfig& config, std::span<const float> divisors)
    : magnitude_(static_cast<float>(config.magnitude)) {
  std::vector<float> values = inverse_frequencies(config);
  CHECK(divisors.empty() || divisors.size() == values.size(), "{} divisors, {} frequencies",
        divisors.size(), values.size());
  for (std::size_t i = 0; i < divisors.size(); ++i) values[i] /= divisors[i];
  const ConstTensor view{DType::f32,
                         {static_cast<std::int64_t>(values.size())},
                         reinterpret_cast<const std::byte*>(values.data())};
  inverse_frequencies_ = backend.prepare_vector(view, 0);
}

Tensor Rope::table(Pass& pass) const {
  const Tensor table = pass.workspace.tensor(pass.batch.row_count(), 2 * inverse_frequencies_.size);
  pass.backend.rope_table({pass.batch.positions, &inverse_frequencies_, magnitude_, table});
  return table;
}

}  // namespace cairn::nn
