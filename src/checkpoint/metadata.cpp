#include "checkpoint/metadata.h"

#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "checkpoint/printable.h"

namespace cairn::checkpoint {
namespace {

constexpr std::size_t kShownListItems = 8;

template <class T>
const std::vector<T>* as_list(const MetadataValue& value) {
  if (const auto* list = std::get_if<std::vector<T>>(&value)) return list;
  static const std::vector<T> kEmpty;
  const bool empty_list = std::visit(
      [](const auto& held) {
        if constexpr (requires { held.front(); } &&
                      !std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held.empty();
        } else {
          return false;
        }
      },
      value);
  return empty_list ? &kEmpty : nullptr;
}

std::string scalar_text(bool value) {
  return value ? "true" : "false";
}
std::string scalar_text(std::int64_t value) {
  return std::to_string(value);
}
std::string scalar_text(std::uint64_t value) {
  return std::to_string(value);
}
std::string scalar_text(double value) {
  return fmt::format("{}", value);
}
std::string scalar_text(const std::string& value) {
  return '"' + printable(value) + '"';
}

template <class T>
std::string scalar_text(const std::vector<T>& list) {
  std::string result = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) result += ", ";
    if (i == kShownListItems) return result + fmt::format("... {} in all]", list.size());
    result += scalar_text(T(list[i]));
  }
  return result + "]";
}

}  // namespace

std::string_view type_name(const MetadataValue& value) {
  constexpr std::array<std::string_view, std::variant_size_v<MetadataValue>> kNames = {
      "boolean",          "integer",          "integer",         "number",       "text",
      "list of booleans", "list of integers", "list of numbers", "list of texts"};
  return kNames[value.index()];
}

std::string to_text(const MetadataValue& value) {
  return std::visit([](const auto& held) { return scalar_text(held); }, value);
}

std::optional<std::int64_t> as_integer(const MetadataValue& value) {
  if (const auto* held = std::get_if<std::int64_t>(&value)) return *held;
  if (const auto* held = std::get_if<std::uint64_t>(&value)) {
    if (std::in_range<std::int64_t>(*held)) return static_cast<std::int64_t>(*held);
  }
  return std::nullopt;
}

std::optional<double> as_number(const MetadataValue& value) {
  if (const auto* held = std::get_if<double>(&value)) return *held;
  if (const auto* held = std::get_if<std::int64_t>(&value)) return static_cast<double>(*held);
  if (const auto* held = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*held);
  return std::nullopt;
}

const std::vector<std::int64_t>* as_integers(const MetadataValue& value) {
  return as_list<std::int64_t>(value);
}
const std::vector<double>* as_numbers(const MetadataValue& value) {
  return as_list<double>(value);
}
const std::vector<bool>* as_booleans(const MetadataValue& value) {
  return as_list<bool>(value);
}
const std::vector<std::string>* as_texts(const MetadataValue& value) {
  return as_list<std::string>(value);
}

bool Metadata::insert(std::string key, MetadataValue value) {
  return values_.emplace(std::move(key), std::move(value)).second;
}

const MetadataValue* Metadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void Metadata::fail_type(std::string_view key, const MetadataValue& found,
                         std::string_view expected) const {
  fail(ErrorKind::corrupt, "{}: \"{}\" is the {} {}, expected {}", source_, printable(key),
       type_name(found), to_text(found), expected);
}

std::optional<std::int64_t> Metadata::integer(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto result = as_integer(*value);
  if (!result) fail_type(key, *value, "an integer below 2^63");
  return result;
}

std::optional<double> Metadata::number(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto result = as_number(*value);
  if (!result) fail_type(key, *value, "a number");
  return result;
}

std::optional<bool> Metadata::boolean(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* held = std::get_if<bool>(value);
  if (held == nullptr) fail_type(key, *value, "true or false");
  return *held;
}

std::optional<std::string> Metadata::text(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* held = std::get_if<std::string>(value);
  if (held == nullptr) fail_type(key, *value, "a text");
  return *held;
}

const std::vector<std::string>* Metadata::texts(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* list = as_texts(*value);
  if (list == nullptr) fail_type(key, *value, "a list of texts");
  return list;
}

const std::vector<std::int64_t>* Metadata::integers(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* list = as_integers(*value);
  if (list == nullptr) fail_type(key, *value, "a list of integers");
  return list;
}

const std::vector<double>* Metadata::numbers(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* list = as_numbers(*value);
  if (list == nullptr) fail_type(key, *value, "a list of numbers");
  return list;
}

const std::vector<bool>* Metadata::booleans(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* list = as_booleans(*value);
  if (list == nullptr) fail_type(key, *value, "a list of booleans");
  return list;
}

}  // namespace cairn::checkpoint
