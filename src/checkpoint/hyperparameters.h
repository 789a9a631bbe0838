#pragma once
// A model's settings under one set of names, whatever file they come from. Names are GGUF's without
// the architecture ("embedding_length"); a table (hyperparameter_keys.cpp) says which keys of
// config.json, in transformers 5's form and in the older one, mean the same. Values are the file's
// own: "rope.scaling.type" may be "default" (Hugging Face) where GGUF says "none". Thread-safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace cairn::checkpoint {

class Hyperparameters {
 public:
  /// `checkpoint` must outlive this. Throws corrupt if the file does not name its architecture.
  explicit Hyperparameters(const Checkpoint& checkpoint);

  /// GGUF's general.architecture ("llama"), or model_type of config.json ("gemma3_text"); that of
  /// text_config where a model of several media has one.
  const std::string& architecture() const { return architecture_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }

  /// Present and of the right type, or absent (JSON null counts as absent). Wrong type: corrupt.
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<bool> boolean(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;

  /// A list; a single value is a list of one. Empty if absent.
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<bool> booleans(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;

  /// Throws corrupt, naming file and key as they stand in the file, if absent or not in
  /// [minimum, maximum].
  std::int64_t require_integer(std::string_view name, std::int64_t minimum,
                               std::int64_t maximum) const;
  /// Also throws if infinite or no number.
  double require_number(std::string_view name) const;
  /// One value a layer: the file's list, which must have `layer_count` items, or its single value
  /// for all. Throws as require_integer does.
  std::vector<std::int64_t> require_per_layer(std::string_view name, std::int64_t layer_count,
                                              std::int64_t minimum, std::int64_t maximum) const;

  /// The key that a message should name: the one found, or else the first that was looked for.
  std::string key_of(std::string_view name) const;

 private:
  const MetadataValue* find(std::string_view name, std::string* key_in_file) const;
  void check_range(std::string_view name, std::int64_t value, std::int64_t minimum,
                   std::int64_t maximum) const;

  const Checkpoint& checkpoint_;
  std::string architecture_;
};

}  // namespace cairn::checkpoint
