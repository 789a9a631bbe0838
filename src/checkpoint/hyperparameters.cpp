#include "checkpoint/hyperparameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "checkpoint/hyperparameter_keys.h"
#include "checkpoint/printable.h"

namespace cairn::checkpoint {
namespace {

// A model of several media keeps its language model's settings here.
constexpr std::string_view kTextConfig = "text_config.";
constexpr std::size_t kLongestArchitecture = 64;

// Messages and keys are built from it.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestArchitecture &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

std::string architecture_of(const Checkpoint& checkpoint) {
  const Metadata& metadata = checkpoint.metadata();
  const bool gguf = checkpoint.origin() == Origin::gguf;
  auto name = gguf ? metadata.text("general.architecture")
                   : metadata.text(std::string(kTextConfig) + "model_type");
  if (!name && !gguf) name = metadata.text("model_type");
  const std::string_view key = gguf ? "general.architecture" : "model_type";
  if (!name) {
    fail(ErrorKind::corrupt, "{}: \"{}\" is missing, so the kind of model is unknown",
         metadata.source(), key);
  }
  if (!is_plain_name(*name)) {
    fail(ErrorKind::corrupt, "{}: \"{}\" is \"{}\", which is no name of a kind of model",
         metadata.source(), key, printable(*name));
  }
  return *name;
}

template <class T, class AsList, class AsScalar>
std::vector<T> to_list(const MetadataValue& value, AsList as_list, AsScalar as_scalar,
                       const Metadata& metadata, const std::string& key,
                       std::string_view expected) {
  if (const auto* list = as_list(value)) return *list;
  if (const auto scalar = as_scalar(value)) return {*scalar};
  metadata.fail_type(key, value, expected);
}

template <class T>
std::optional<T> held(const MetadataValue& value) {
  const T* found = std::get_if<T>(&value);
  return found == nullptr ? std::nullopt : std::optional<T>(*found);
}

// config.json may write a whole number for a list of numbers.
std::optional<std::vector<double>> as_number_list(const MetadataValue& value) {
  if (const auto* list = as_numbers(value)) return *list;
  const auto* whole = as_integers(value);
  if (whole == nullptr) return std::nullopt;
  return std::vector<double>(whole->begin(), whole->end());
}

}  // namespace

Hyperparameters::Hyperparameters(const Checkpoint& checkpoint)
    : checkpoint_(checkpoint), architecture_(architecture_of(checkpoint)) {}

const MetadataValue* Hyperparameters::find(std::string_view name, std::string* key_in_file) const {
  const Metadata& metadata = checkpoint_.metadata();
  if (checkpoint_.origin() == Origin::gguf) {
    *key_in_file = fmt::format("{}.{}", architecture_, name);
    return metadata.find(*key_in_file);
  }
  const HyperparameterKeys* row = find_hyperparameter_keys(name);
  const HyperparameterKeys as_it_stands{name, {name}};
  if (row == nullptr) row = &as_it_stands;
  *key_in_file = row->keys[0];
  for (const std::string_view prefix : {kTextConfig, std::string_view()}) {
    if (!row->unless_false.empty() &&
        metadata.boolean(fmt::format("{}{}", prefix, row->unless_false)) == false) {
      return nullptr;
    }
    for (const std::string_view candidate : row->keys) {
      if (candidate.empty()) break;
      std::string key = fmt::format("{}{}", prefix, candidate);
      if (const MetadataValue* value = metadata.find(key)) {
        *key_in_file = std::move(key);
        return value;
      }
    }
  }
  return nullptr;
}

std::string Hyperparameters::key_of(std::string_view name) const {
  std::string key;
  find(name, &key);
  return key;
}

std::optional<std::int64_t> Hyperparameters::integer(std::string_view name) const {
  std::string key;
  return find(name, &key) == nullptr ? std::nullopt : checkpoint_.metadata().integer(key);
}

std::optional<double> Hyperparameters::number(std::string_view name) const {
  std::string key;
  return find(name, &key) == nullptr ? std::nullopt : checkpoint_.metadata().number(key);
}

std::optional<bool> Hyperparameters::boolean(std::string_view name) const {
  std::string key;
  return find(name, &key) == nullptr ? std::nullopt : checkpoint_.metadata().boolean(key);
}

std::optional<std::string> Hyperparameters::text(std::string_view name) const {
  std::string key;
  return find(name, &key) == nullptr ? std::nullopt : checkpoint_.metadata().text(key);
}

std::vector<std::int64_t> Hyperparameters::integers(std::string_view name) const {
  std::string key;
  const MetadataValue* value = find(name, &key);
  if (value == nullptr) return {};
  return to_list<std::int64_t>(*value, as_integers, as_integer, checkpoint_.metadata(), key,
                               "integers");
}

std::vector<double> Hyperparameters::numbers(std::string_view name) const {
  std::string key;
  const MetadataValue* value = find(name, &key);
  if (value == nullptr) return {};
  if (auto list = as_number_list(*value)) return std::move(*list);
  return to_list<double>(*value, as_numbers, as_number, checkpoint_.metadata(), key, "numbers");
}

std::vector<bool> Hyperparameters::booleans(std::string_view name) const {
  std::string key;
  const MetadataValue* value = find(name, &key);
  if (value == nullptr) return {};
  return to_list<bool>(*value, as_booleans, held<bool>, checkpoint_.metadata(), key, "booleans");
}

std::vector<std::string> Hyperparameters::texts(std::string_view name) const {
  std::string key;
  const MetadataValue* value = find(name, &key);
  if (value == nullptr) return {};
  return to_list<std::string>(*value, as_texts, held<std::string>, checkpoint_.metadata(), key,
                              "texts");
}

void Hyperparameters::check_range(std::string_view name, std::int64_t value, std::int64_t minimum,
                                  std::int64_t maximum) const {
  if (value >= minimum && value <= maximum) return;
  fail(ErrorKind::corrupt, "{}: \"{}\" is {}, expected {} to {}", checkpoint_.metadata().source(),
       key_of(name), value, minimum, maximum);
}

std::int64_t Hyperparameters::require_integer(std::string_view name, std::int64_t minimum,
                                              std::int64_t maximum) const {
  const auto value = integer(name);
  if (!value) {
    fail(ErrorKind::corrupt, "{}: \"{}\" is missing, expected an integer from {} to {}",
         checkpoint_.metadata().source(), key_of(name), minimum, maximum);
  }
  check_range(name, *value, minimum, maximum);
  return *value;
}

double Hyperparameters::require_number(std::string_view name) const {
  const auto value = number(name);
  if (!value || !std::isfinite(*value)) {
    fail(ErrorKind::corrupt, "{}: \"{}\" is {}, expected a finite number",
         checkpoint_.metadata().source(), key_of(name),
         value ? fmt::format("{}", *value) : "missing");
  }
  return *value;
}

std::vector<std::int64_t> Hyperparameters::require_per_layer(std::string_view name,
                                                             std::int64_t layer_count,
                                                             std::int64_t minimum,
                                                             std::int64_t maximum) const {
  std::vector<std::int64_t> values = integers(name);
  if (values.size() == 1) values.resize(static_cast<std::size_t>(layer_count), values.front());
  if (values.size() != static_cast<std::size_t>(layer_count)) {
    fail(ErrorKind::corrupt, "{}: \"{}\" has {} values, expected one, or one for each of {} layers",
         checkpoint_.metadata().source(), key_of(name), values.size(), layer_count);
  }
  for (const std::int64_t value : values) check_range(name, value, minimum, maximum);
  return values;
}

}  // namespace cairn::checkpoint
