#include <nlohmann/json.hpp>

#include "text/jinja/dict.h"
#include "text/jinja/json.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"

namespace cairn::text::jinja {
namespace {

using Json = nlohmann::ordered_json;

/// Builds values as the parser reports them, without a document in between and without recursion.
class Reader {
 public:
  explicit Reader(const OriginOf& origin_of) : origin_of_(origin_of) {}

  Value result() { return std::move(result_); }

  bool null() { return put(None{}); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) {
      return put(make_object<BigInteger>(fmt::to_string(value)));
    }
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& digits) {
    if (digits.find_first_of(".eE") == std::string::npos) {
      return put(make_object<BigInteger>(digits));
    }
    return put(value);
  }
  bool string(std::string& value) {
    const Origin origin = origin_of_ ? origin_of_(path_, value) : Origin::content;
    return put(Text(std::move(value), origin));
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool key(std::string& value) {
    path_.back() = value;
    return true;
  }
  bool start_object(std::size_t) {
    path_.emplace_back();
    return open(true);
  }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() {
    path_.pop_back();
    Value value = levels_.back().dict.finish();
    levels_.pop_back();
    return put(std::move(value));
  }
  bool end_array() {
    Value value = Value::list(std::move(levels_.back().items));
    levels_.pop_back();
    return put(std::move(value));
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string_view message = error.what();
    const std::size_t prefix_end = message.find("] ");
    refuse("no JSON: {}",
           prefix_end == std::string_view::npos ? message : message.substr(prefix_end + 2));
  }

 private:
  struct Level {
    bool is_object;
    DictBuilder dict;
    std::vector<Value> items;
  };

  bool open(bool is_object) {
    depth_above(levels_.size());
    levels_.push_back({is_object, {}, {}});
    return true;
  }

  bool put(Value value) {
    if (levels_.empty()) {
      result_ = std::move(value);
    } else if (levels_.back().is_object) {
      levels_.back().dict.set(Text(path_.back(), Origin::content), std::move(value));
    } else {
      levels_.back().items.push_back(std::move(value));
    }
    return true;
  }

  const OriginOf& origin_of_;
  std::vector<Level> levels_;
  std::vector<std::string> path_;  // one key for each open object
  Value result_;
};

}  // namespace

Value parse_json(std::string_view json, const OriginOf& origin_of) {
  Reader reader(origin_of);
  Json::sax_parse(json.begin(), json.end(), &reader);
  return reader.result();
}

}  // namespace cairn::text::jinja
