#include "cli/json_fields.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace cairn::cli {

using nlohmann::json;

std::string shown(const json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

JsonFields::JsonFields(const json& object, std::string path)
    : object_(object), path_(std::move(path)) {}

std::string JsonFields::path_of(std::string_view name) const {
  return fmt::format("{}{}", path_, name);
}

void JsonFields::fail_type(std::string_view name, const json& found,
                           std::string_view expected) const {
  fail(ErrorKind::invalid_argument, "{}: found {}, expected {}", path_of(name), shown(found),
       expected);
}

const json* JsonFields::take(std::string_view name) {
  const auto field = object_.find(std::string(name));
  if (field == object_.end()) return nullptr;
  taken_.emplace(name);
  return field->is_null() ? nullptr : &*field;
}

bool JsonFields::read(std::string_view name, bool& value) {
  const json* const field = take(name);
  if (field == nullptr) return false;
  if (!field->is_boolean()) fail_type(name, *field, "true or false");
  value = field->get<bool>();
  return true;
}

bool JsonFields::read(std::string_view name, float& value) {
  const json* const field = take(name);
  if (field == nullptr) return false;
  if (!field->is_number()) fail_type(name, *field, "a number");
  value = field->get<float>();
  return true;
}

bool JsonFields::read(std::string_view name, std::int32_t& value) {
  const json* const field = take(name);
  if (field == nullptr) return false;
  constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  const bool is_large = field->is_number_unsigned() &&
                        field->get<std::uint64_t>() > static_cast<std::uint64_t>(kHighest);
  const bool fits =
      field->is_number_integer() && !is_large && field->get<std::int64_t>() >= kLowest;
  if (!fits) fail_type(name, *field, "a whole number of 32 bits");
  value = field->get<std::int32_t>();
  return true;
}

bool JsonFields::read(std::string_view name, std::uint64_t& value) {
  const json* const field = take(name);
  if (field == nullptr) return false;
  if (!field->is_number_unsigned()) fail_type(name, *field, "a whole number from 0 on");
  value = field->get<std::uint64_t>();
  return true;
}

bool JsonFields::read(std::string_view name, std::string& value) {
  const json* const field = take(name);
  if (field == nullptr) return false;
  if (!field->is_string()) fail_type(name, *field, "a string");
  value = field->get<std::string>();
  return true;
}

void JsonFields::require_all_taken() const {
  for (const auto& [name, value] : object_.items()) {
    if (taken_.contains(name)) continue;
    fail(ErrorKind::invalid_argument, "{}: no such field is known here; take it out",
         path_of(name));
  }
}

}  // namespace cairn::cli
