#include "models/layer_windows.h"

#include <string>

#include "base/error.h"

namespace cairn::models {
namespace {
constexpr std::int64_t kMostTokens = 1 << 30;
}

std::int64_t read_window(const checkpoint::Hyperparameters& hyperparameters) {
  constexpr std::string_view kName = "attention.sliding_window";
  if (!hyperparameters.integer(kName)) return 0;
  return hyperparameters.require_integer(kName, 0, kMostTokens);
}

std::optional<std::vector<bool>> read_sliding_layers(
    const checkpoint::Hyperparameters& hyperparameters, std::int64_t layers) {
  const std::vector<std::string> kinds = hyperparameters.texts("layer_types");
  if (kinds.empty()) return std::nullopt;
  const std::string& file = hyperparameters.checkpoint().metadata().source();
  const std::string key = hyperparameters.key_of("layer_types");
  if (kinds.size() != static_cast<std::size_t>(layers)) {
    fail(ErrorKind::corrupt, "{}: \"{}\" names {} layers, expected {}", file, key, kinds.size(),
         layers);
  }
  std::vector<bool> sliding;
  for (const std::string& kind : kinds) {
    if (kind != "sliding_attention" && kind != "full_attention") {
      fail(ErrorKind::unsupported,
           "{}: \"{}\" has \"{}\"; this build knows full_attention and sliding_attention", file,
           key, kind);
    }
    sliding.push_back(kind == "sliding_attention");
  }
  return sliding;
}

std::vector<std::int64_t> qwen_layer_windows(const checkpoint::Hyperparameters& hyperparameters,
                                             std::int64_t layers) {
  std::vector<std::int64_t> windows(static_cast<std::size_t>(layers), 0);
  if (!hyperparameters.boolean("use_sliding_window").value_or(false)) return windows;
  const std::int64_t window = read_window(hyperparameters);
  const auto named = read_sliding_layers(hyperparameters, layers);
  const std::int64_t first = hyperparameters.integer("max_window_layers").value_or(layers);
  for (std::size_t layer = 0; layer < windows.size(); ++layer) {
    const bool sliding = named ? (*named)[layer] : static_cast<std::int64_t>(layer) >= first;
    if (sliding) windows[layer] = window;
  }
  return windows;
}

}  // namespace cairn::models
