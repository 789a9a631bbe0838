#include "checkpoint/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "checkpoint/printable.h"

namespace cairn::checkpoint {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestDocumentBytes = std::size_t{64} << 20;
constexpr std::size_t kDeepestNesting = 32;
constexpr std::size_t kLongestKey = 1024;
// Flattening repeats a container's name in each of its fields; this bounds what that can cost.
constexpr std::size_t kMostKeyBytes = std::size_t{128} << 20;
// transformers writes what JSON has no number for as {"__float__": "Infinity"}.
constexpr std::string_view kFloatKey = "__float__";

// All items as T; false if one is of another kind.
template <class T, class Convert>
bool gather(const std::vector<MetadataValue>& items, Convert convert, MetadataValue& list) {
  std::vector<T> result;
  for (const MetadataValue& item : items) {
    const auto value = convert(item);
    if (!value) return false;
    result.push_back(*value);
  }
  list = std::move(result);
  return true;
}

template <class T>
std::optional<T> held(const MetadataValue& value) {
  const T* found = std::get_if<T>(&value);
  return found == nullptr ? std::nullopt : std::optional<T>(*found);
}

bool as_one_list(const std::vector<MetadataValue>& items, MetadataValue& list) {
  return gather<std::int64_t>(items, as_integer, list) || gather<double>(items, as_number, list) ||
         gather<bool>(items, held<bool>, list) ||
         gather<std::string>(items, held<std::string>, list);
}

std::optional<double> as_float_name(const MetadataValue& value) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) return std::nullopt;
  if (*name == "Infinity") return std::numeric_limits<double>::infinity();
  if (*name == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (*name == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

/// nlohmann's SAX interface: called for each token, in order.
class Flattener final : public json::json_sax_t {
 public:
  Flattener(const std::string& file, std::string_view prefix, Metadata& metadata)
      : file_(file), path_(prefix), metadata_(metadata) {}

  bool null() override { return skip(); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return scalar(double{value});
  }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(false); }
  bool end_object() override {
    const std::optional<double> number = levels_.back().number;
    close();
    if (!number) return true;
    if (!levels_.empty() && levels_.back().is_list) --levels_.back().count;
    return scalar(*number);
  }
  bool start_array(std::size_t /*size*/) override { return open(true); }
  bool end_array() override {
    Level& level = levels_.back();
    path_.resize(level.path_bytes);
    MetadataValue list;
    if (level.items.size() == level.count && as_one_list(level.items, list)) {
      store(path_, std::move(list));
    } else {
      store_separately(level);
    }
    return close();
  }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    path_.resize(level.path_bytes);
    if (!path_.empty() && path_.back() != '.') path_ += '.';
    path_ += name;
    if (path_.size() > kLongestKey) {
      fail(ErrorKind::corrupt, "{}: the key \"{}\" is longer than {} bytes", file_,
           printable(path_), kLongestKey);
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const json::exception& /*error*/) override {
    fail(ErrorKind::corrupt, "{}: no valid JSON at byte {}, near \"{}\"", file_, position,
         printable(token));
  }

 private:
  struct Level {
    bool is_list = false;
    std::size_t path_bytes = 0;        // of the container itself
    std::size_t count = 0;             // of a list's items, null, lists and objects included
    std::vector<MetadataValue> items;  // a list's scalars
    std::vector<std::size_t> indices;  // of the scalars
    std::optional<double> number;      // of {"__float__": ...}
  };

  bool skip() {
    if (!levels_.empty() && levels_.back().is_list) ++levels_.back().count;
    return true;
  }

  bool scalar(MetadataValue value) {
    if (levels_.empty()) fail(ErrorKind::corrupt, "{}: expected an object", file_);
    Level& level = levels_.back();
    if (level.is_list) {
      level.indices.push_back(level.count++);
      level.items.push_back(std::move(value));
    } else if (path_.ends_with(kFloatKey)) {
      level.number = as_float_name(value);
    } else {
      store(path_, std::move(value));
    }
    return true;
  }

  bool open(bool is_list) {
    if (levels_.empty() && is_list) fail(ErrorKind::corrupt, "{}: expected an object", file_);
    if (levels_.size() == kDeepestNesting) {
      fail(ErrorKind::corrupt, "{}: nested deeper than {} levels", file_, kDeepestNesting);
    }
    if (!levels_.empty() && levels_.back().is_list) {
      Level& list = levels_.back();
      path_.resize(list.path_bytes);
      path_ += fmt::format(".{}", list.count++);
    }
    Level level;
    level.is_list = is_list;
    level.path_bytes = path_.size();
    levels_.push_back(std::move(level));
    return true;
  }

  bool close() {
    path_.resize(levels_.back().path_bytes);
    levels_.pop_back();
    return true;
  }

  void store_separately(Level& level) {
    for (std::size_t i = 0; i < level.items.size(); ++i) {
      path_.resize(level.path_bytes);
      store(fmt::format("{}.{}", path_, level.indices[i]), std::move(level.items[i]));
    }
  }

  void store(const std::string& path, MetadataValue value) {
    key_bytes_ += path.size();
    if (key_bytes_ > kMostKeyBytes) {
      fail(ErrorKind::corrupt, "{}: more than {} bytes of names", file_, kMostKeyBytes);
    }
    if (!metadata_.insert(path, std::move(value))) {
      fail(ErrorKind::corrupt, "{}: the key \"{}\" occurs twice", file_, printable(path));
    }
  }

  const std::string& file_;
  std::string path_;
  Metadata& metadata_;
  std::vector<Level> levels_;
  std::size_t key_bytes_ = 0;
};

}  // namespace

void read_json_fields(std::span<const std::byte> document, const std::string& file,
                      std::string_view prefix, Metadata& metadata) {
  if (document.size() > kLargestDocumentBytes) {
    fail(ErrorKind::corrupt, "{}: {} bytes are too many for a configuration, the limit is {}", file,
         document.size(), kLargestDocumentBytes);
  }
  Flattener flattener(file, prefix, metadata);
  const auto* text = reinterpret_cast<const char*>(document.data());
  json::sax_parse(text, text + document.size(), &flattener);
}

}  // namespace cairn::checkpoint
