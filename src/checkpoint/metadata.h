#pragma once
// Typed key-value metadata of a checkpoint. Thread-safe while nobody inserts.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cairn::checkpoint {

using MetadataValue =
    std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<bool>,
                 std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

/// "integer", "list of texts", ...: what a value is called in messages.
std::string_view type_name(const MetadataValue& value);

/// A value on one line, safe to print; long texts and lists are cut.
std::string to_text(const MetadataValue& value);

/// A value as another type. Integers convert to floats and to the other signedness where the value
/// fits; an empty list is an empty list of anything; nothing else converts (nullopt or null).
std::optional<std::int64_t> as_integer(const MetadataValue& value);
std::optional<double> as_number(const MetadataValue& value);
const std::vector<std::int64_t>* as_integers(const MetadataValue& value);
const std::vector<double>* as_numbers(const MetadataValue& value);
const std::vector<bool>* as_booleans(const MetadataValue& value);
const std::vector<std::string>* as_texts(const MetadataValue& value);

/// Keys in order. Lookups that find the wrong type throw corrupt with file, key, found, expected.
class Metadata {
 public:
  explicit Metadata(std::string source = "") : source_(std::move(source)) {}

  /// False if the key was there already.
  bool insert(std::string key, MetadataValue value);
  const MetadataValue* find(std::string_view key) const;
  const std::map<std::string, MetadataValue, std::less<>>& values() const& { return values_; }
  const std::map<std::string, MetadataValue, std::less<>>& values() && = delete;
  /// The file, for messages.
  const std::string& source() const { return source_; }

  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  /// Null if absent.
  const std::vector<std::string>* texts(std::string_view key) const;
  const std::vector<std::int64_t>* integers(std::string_view key) const;
  const std::vector<double>* numbers(std::string_view key) const;
  const std::vector<bool>* booleans(std::string_view key) const;

  /// Throws corrupt: "`key` is ..., expected `expected`".
  [[noreturn]] void fail_type(std::string_view key, const MetadataValue& found,
                              std::string_view expected) const;

 private:
  std::string source_;
  std::map<std::string, MetadataValue, std::less<>> values_;
};

}  // namespace cairn::checkpoint
