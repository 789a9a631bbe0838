#pragma once
// Which layers see only a window of the past, where a checkpoint says it by layer.

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/hyperparameters.h"

namespace cairn::models {

/// attention.sliding_window, or 0 (every key is seen) where it is absent.
std::int64_t read_window(const checkpoint::Hyperparameters& hyperparameters);

/// layer_types of config.json: true where "sliding_attention". Absent: nothing. Throws corrupt if
/// there are not `layers` of them, unsupported for a kind of layer that is not known here.
std::optional<std::vector<bool>> read_sliding_layers(
    const checkpoint::Hyperparameters& hyperparameters, std::int64_t layers);

/// Qwen's rule: no window unless use_sliding_window is true; then in the layers that layer_types
/// names, or from layer max_window_layers on.
std::vector<std::int64_t> qwen_layer_windows(const checkpoint::Hyperparameters& hyperparameters,
                                             std::int64_t layers);

}  // namespace cairn::models
