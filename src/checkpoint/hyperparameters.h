#pragma once
// A model's settings under one set of names, whatever file they come from. Names are GGUF's without
// the architecture ("embedding_length"); a table (hyperparameters.cpp) says which keys of config.json,
// in transformers 5's form and in the older one, mean the same.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace cairn::checkpoint {

class Hyperparameters {
 public:
  /// `checkpoint` must outlive this.
  explicit Hyperparameters(const Checkpoint& checkpoint);

  /// GGUF's general.architecture ("llama"), or model_type of config.json ("gemma3_text").
  const std::string& architecture() const { return architecture_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }

  /// Present and of the right type, or absent (JSON null counts as absent). Wrong type: corrupt.
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<bool> boolean(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;

  /// Throws corrupt, naming file and key as they stand in the file, if absent or not in
  /// [minimum, maximum].
  std::int64_t require_integer(std::string_view name, std::int64_t minimum,
                               std::int64_t maximum) const;
  double require_number(std::string_view name) const;

 private:
  const MetadataValue* find(std::string_view name, std::string* key_in_file) const;

  const Checkpoint& checkpoint_;
  std::string architecture_;
};

}  // namespace cairn::checkpoint
