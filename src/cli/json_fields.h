#pragma once
// The fields of a JSON object, taken one by one: what has the wrong type is refused by its name,
// and so is what nobody took.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

namespace cairn::cli {

class JsonFields {
 public:
  /// `path` stands before the names in messages ("body."). REQUIRES: an object that outlives this.
  JsonFields(const nlohmann::json& object, std::string path);

  /// The field, or null where it is missing or null.
  const nlohmann::json* take(std::string_view name);

  /// Set `value` where the field is there; false where it is not. Throw invalid_argument.
  bool read(std::string_view name, bool& value);
  bool read(std::string_view name, float& value);
  bool read(std::string_view name, std::int32_t& value);
  bool read(std::string_view name, std::uint64_t& value);
  bool read(std::string_view name, std::string& value);

  /// Throws invalid_argument that names the first field that was not taken.
  void require_all_taken() const;

  std::string path_of(std::string_view name) const;
  /// "body.n: found "two", expected a whole number".
  [[noreturn]] void fail_type(std::string_view name, const nlohmann::json& found,
                              std::string_view expected) const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string, std::less<>> taken_;
};

/// A value as messages show it: cut where it is long.
std::string shown(const nlohmann::json& value);

}  // namespace cairn::cli
