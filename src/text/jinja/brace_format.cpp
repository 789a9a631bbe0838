#include <charconv>
#include <optional>

#include "text/jinja/access.h"
#include "text/jinja/format.h"
#include "text/jinja/limits.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

/// Behind the digits that `text` starts with; none where it does not consist of digits.
std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

class Formatter {
 public:
  explicit Formatter(const Arguments& arguments) : arguments_(arguments) {}

  /// `level`: fields may stand inside a field's spec, but not deeper.
  Text run(const Text& format, int level) {
    if (level > 1) refuse("Max string recursion exceeded");
    TextBuilder builder;
    const std::string_view bytes = format.bytes();
    std::size_t offset = 0;
    while (offset < bytes.size()) {
      const std::size_t brace = std::min(bytes.find_first_of("{}", offset), bytes.size());
      builder.append(format, offset, brace);
      if (brace == bytes.size()) break;
      if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
        builder.append(format, brace, brace + 1);
        offset = brace + 2;
        continue;
      }
      if (bytes[brace] == '}') refuse("Single '}}' encountered in format string");
      const std::size_t end = end_of_field(bytes, brace + 1);
      builder.append(field(format.sub(brace + 1, end - brace - 1), level));
      offset = end + 1;
    }
    return builder.finish(format.is_markup());
  }

 private:
  static std::size_t end_of_field(std::string_view bytes, std::size_t offset) {
    std::size_t depth = 1;
    for (; offset < bytes.size(); ++offset) {
      if (bytes[offset] == '{') ++depth;
      if (bytes[offset] == '}' && --depth == 0) return offset;
    }
    refuse("expected '}}' before end of string");
  }

  /// name[!conversion][:spec]
  Text field(const Text& inner, int level) {
    const std::string_view bytes = inner.bytes();
    std::size_t end = 0;
    bool is_in_brackets = false;
    for (; end < bytes.size(); ++end) {
      if (bytes[end] == '[') is_in_brackets = true;
      if (bytes[end] == ']') is_in_brackets = false;
      if (!is_in_brackets && (bytes[end] == '!' || bytes[end] == ':')) break;
    }
    Value value = look_up(bytes.substr(0, end));
    if (end < bytes.size() && bytes[end] == '!') {
      const char conversion = end + 1 < bytes.size() ? bytes[end + 1] : '\0';
      if (conversion != 'r' && conversion != 's') {
        refuse("Unknown conversion specifier '{}'", bytes.substr(end + 1, 1));
      }
      value = conversion == 'r' ? repr(value) : to_text(value);
      end += 2;
      if (end < bytes.size() && bytes[end] != ':') {
        refuse("expected ':' after conversion specifier");
      }
    }
    const Text spec = end < bytes.size() ? run(inner.sub(end + 1), level + 1) : Text();
    return format_value(value, spec.bytes());
  }

  /// first(.attribute | [index])*
  Value look_up(std::string_view name) {
    const std::size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = first(name.substr(0, end));
    std::string_view rest = name.substr(end);
    while (!rest.empty()) {
      if (rest[0] == '.') {
        const std::size_t stop = std::min(rest.find_first_of(".[", 1), rest.size());
        value = attribute_of(value, Text::own(rest.substr(1, stop - 1)));
        rest.remove_prefix(stop);
        continue;
      }
      const std::size_t stop = rest.find(']');
      if (rest[0] != '[' || stop == std::string_view::npos) refuse("Missing ']' in format string");
      const std::string_view index = rest.substr(1, stop - 1);
      const auto number = whole_number(index);
      value = item_of(value, number ? Value::size(*number) : Value::own(index));
      rest.remove_prefix(stop + 1);
    }
    return value;
  }

  Value first(std::string_view name) {
    std::optional<std::size_t> position = whole_number(name);
    if (name.empty() || position) {
      if (is_numbered_ && *is_numbered_ != position.has_value()) {
        refuse("cannot switch between automatic and manual field numbering");
      }
      is_numbered_ = position.has_value();
      if (!position) position = next_++;
      if (*position >= arguments_.positional.size()) {
        refuse("Replacement index {} out of range for positional args tuple", *position);
      }
      return arguments_[*position];
    }
    for (const auto& [known, value] : arguments_.keywords) {
      if (known.bytes() == name) return value;
    }
    refuse("the format string asks for '{}', which is not given", name);
  }

  const Arguments& arguments_;
  std::size_t next_ = 0;
  std::optional<bool> is_numbered_;
};

}  // namespace

Text brace_format(const Text& format, const Arguments& arguments) {
  return Formatter(arguments).run(format, 0);
}

}  // namespace cairn::text::jinja
