#pragma once
// Which keys of a Hugging Face config.json hold a setting that GGUF has under another name.

#include <array>
#include <cstddef>
#include <string_view>

namespace cairn::checkpoint {

inline constexpr std::size_t kMostKeys = 6;

struct HyperparameterKeys {
  std::string_view name;                           // GGUF's, without the architecture
  std::array<std::string_view, kMostKeys> keys{};  // the first that is present holds
  std::string_view unless_false{};  // a boolean key that turns the setting off when false
};

/// Null for a name that is not in the table: it is looked for as it stands.
const HyperparameterKeys* find_hyperparameter_keys(std::string_view name);

}  // namespace cairn::checkpoint
