#include "text/huggingface/json_document.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

using nlohmann::json;

constexpr std::size_t kLargestDocumentBytes = std::size_t{256} << 20;
constexpr std::size_t kMostValues = std::size_t{1} << 23;  // 256 MiB of nodes
constexpr std::size_t kDeepestNesting = 64;

const char* name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "a boolean";
    case JsonKind::number:
      return "a number";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "";
}

}  // namespace

std::string printable(std::string_view text, std::size_t most_bytes) {
  std::string result;
  for (const char c : text.substr(0, most_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  result.resize(valid_utf8_prefix(result));
  return text.size() > most_bytes ? result += "..." : result;
}

class JsonReader final : public nlohmann::json_sax<json> {
 public:
  explicit JsonReader(JsonDocument& document) : document_(document) {}

  bool null() override { return add(JsonKind::null); }
  bool boolean(bool value) override {
    add(JsonKind::boolean);
    document_.nodes_.back().is_true = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value);
  }
  bool string(string_t& value) override {
    add(JsonKind::string);
    auto& node = document_.nodes_.back();
    node.text_begin = store(value);
    node.text_size = static_cast<std::uint32_t>(value.size());
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(JsonKind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(JsonKind::array); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    name_begin_ = store(name);
    name_size_ = static_cast<std::uint32_t>(name.size());
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const json::exception& /*error*/) override {
    fail(ErrorKind::corrupt, "{}: no valid JSON at byte {}, near '{}'; get the file anew",
         document_.file_, position, printable(token));
  }

 private:
  bool add(JsonKind kind) {
    if (document_.nodes_.size() == kMostValues)
      fail(ErrorKind::corrupt, "{}: more than {} values", document_.file_, kMostValues);
    JsonDocument::Node node;
    node.kind = kind;
    node.end = static_cast<std::uint32_t>(document_.nodes_.size() + 1);
    node.name_begin = name_begin_;
    node.name_size = name_size_;
    name_size_ = 0;
    document_.nodes_.push_back(node);
    return true;
  }
  bool number(double value) {
    add(JsonKind::number);
    document_.nodes_.back().number = value;
    return true;
  }
  bool open(JsonKind kind) {
    if (open_.size() == kDeepestNesting)
      fail(ErrorKind::corrupt, "{}: nested deeper than {} levels", document_.file_,
           kDeepestNesting);
    add(kind);
    open_.push_back(document_.nodes_.size() - 1);
    return true;
  }
  bool close() {
    document_.nodes_[open_.back()].end = static_cast<std::uint32_t>(document_.nodes_.size());
    open_.pop_back();
    return true;
  }
  std::uint32_t store(std::string_view characters) {
    const auto begin = static_cast<std::uint32_t>(document_.characters_.size());
    document_.characters_.append(characters);
    return begin;
  }

  JsonDocument& document_;
  std::vector<std::size_t> open_;
  std::uint32_t name_begin_ = 0;
  std::uint32_t name_size_ = 0;
};

JsonDocument::JsonDocument(std::string_view json, std::string file) : file_(std::move(file)) {
  if (json.size() > kLargestDocumentBytes)
    fail(ErrorKind::corrupt, "{}: {} bytes are too many, the limit is {}", file_, json.size(),
         kLargestDocumentBytes);
  JsonReader reader(*this);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
}

Field JsonDocument::root() const {
  return {this, 0};
}

std::string JsonDocument::path_of(std::uint32_t index) const {
  std::string path;
  std::uint32_t container = 0;
  while (container != index) {
    std::uint32_t child = container + 1;
    std::size_t position = 0;
    for (; nodes_[child].end <= index; child = nodes_[child].end) ++position;
    if (nodes_[container].kind == JsonKind::array) {
      path += fmt::format("[{}]", position);
    } else {
      if (!path.empty()) path += '.';
      path += printable(characters(nodes_[child].name_begin, nodes_[child].name_size));
    }
    container = child;
  }
  return path;
}

Field::Iterator& Field::Iterator::operator++() {
  index_ = document_->nodes_[index_].end;
  return *this;
}

JsonKind Field::kind() const {
  return node().kind;
}

std::string_view Field::name() const {
  return document_->characters(node().name_begin, node().name_size);
}

std::string_view Field::text() const {
  if (kind() != JsonKind::string) refuse("a string");
  return document_->characters(node().text_begin, node().text_size);
}

bool Field::boolean() const {
  if (kind() != JsonKind::boolean) refuse("true or false");
  return node().is_true;
}

double Field::number() const {
  if (kind() != JsonKind::number || !std::isfinite(node().number)) refuse("a number");
  return node().number;
}

std::uint32_t Field::count(std::uint32_t most) const {
  const double value = kind() == JsonKind::number ? node().number : -1;
  if (!(value >= 0 && value <= most) || value != std::floor(value))
    refuse(fmt::format("a whole number of 0 to {}", most));
  return static_cast<std::uint32_t>(value);
}

std::string_view Field::character() const {
  const std::string_view whole = text();
  if (whole.empty() || next_utf8(whole).size_bytes != whole.size()) refuse("one character");
  return whole;
}

Field::Children Field::children(JsonKind wanted, std::string_view expected) const {
  if (kind() != wanted) refuse(expected);
  return {Iterator(document_, index_ + 1), Iterator(document_, node().end)};
}

Field::Children Field::items() const {
  return children(JsonKind::array, "an array");
}

Field::Children Field::members() const {
  return children(JsonKind::object, "an object");
}

std::size_t Field::size() const {
  std::size_t count = 0;
  const Children all = kind() == JsonKind::array ? items() : members();
  for (auto child = all.begin(); child != all.end(); ++child) ++count;
  return count;
}

std::optional<Field> Field::find(std::string_view member) const {
  std::optional<Field> found;
  for (const Field child : members())
    if (child.name() == member) found = child;
  return found && !found->is_null() ? found : std::nullopt;
}

Field Field::at(std::string_view member) const {
  const auto found = find(member);
  if (!found) {
    const std::string here = path();
    fail(ErrorKind::corrupt, "{}: {}{}{} is missing; get the file anew", file(), here,
         here.empty() ? "" : ".", member);
  }
  return *found;
}

bool Field::boolean(std::string_view member, bool otherwise) const {
  const auto found = find(member);
  return found ? found->boolean() : otherwise;
}

std::string Field::shown() const {
  switch (kind()) {
    case JsonKind::string:
      return fmt::format("\"{}\"", printable(text()));
    case JsonKind::number:
      return fmt::format("{}", node().number);
    case JsonKind::boolean:
      return node().is_true ? "true" : "false";
    default:
      return name_of(kind());
  }
}

void Field::refuse(std::string_view expected) const {
  const std::string here = path();
  fail(ErrorKind::corrupt, "{}: {}: found {}, expected {}", file(),
       here.empty() ? "the document" : here, shown(), expected);
}

void Field::unsupported(std::string_view reason) const {
  fail(ErrorKind::unsupported, "{}: {}: {} {}", file(), path(), shown(), reason);
}

}  // namespace cairn::text::huggingface
