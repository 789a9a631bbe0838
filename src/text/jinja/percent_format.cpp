#include <algorithm>
#include <cmath>
#include <optional>

#include "text/jinja/access.h"
#include "text/jinja/conversion.h"
#include "text/jinja/dict.h"
#include "text/jinja/format.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"
#include "text/jinja/text_operations.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

/// %[(key)][flags][width][.precision]type
struct Directive {
  bool is_left = false, is_zero = false, is_alternate = false, has_plus = false, has_blank = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  char type = '\0';
};

class PercentFormatter {
 public:
  PercentFormatter(const Text& format, const Value& arguments)
      : format_(format), bytes_(format.bytes()), arguments_(arguments) {}

  Text run() {
    while (offset_ < bytes_.size()) {
      const std::size_t mark = std::min(bytes_.find('%', offset_), bytes_.size());
      builder_.append(format_, offset_, mark);
      offset_ = mark;
      if (mark < bytes_.size()) directive();
    }
    if (used_ < required_count()) refuse("not all arguments converted during string formatting");
    return builder_.finish(format_.is_markup());
  }

 private:
  /// How many arguments must be used: what could be a mapping need not be.
  std::size_t required_count() const {
    if (arguments_.is_tuple()) return arguments_.sequence()->items.size();
    const bool is_like_mapping = arguments_.dict() || arguments_.is_list() ||
                                 arguments_.is_undefined() || arguments_.object_as<Range>();
    return is_like_mapping ? 0 : 1;
  }

  char take() {
    if (offset_ >= bytes_.size()) refuse("incomplete format");
    return bytes_[offset_++];
  }
  char peek() const { return offset_ < bytes_.size() ? bytes_[offset_] : '\0'; }

  Value next_argument() {
    if (key_value_) return *key_value_;
    const bool is_tuple = arguments_.is_tuple();
    const std::size_t count = is_tuple ? arguments_.sequence()->items.size() : 1;
    if (used_ >= count) refuse("not enough arguments for format string");
    const std::size_t index = used_++;
    return is_tuple ? arguments_.sequence()->items[index] : arguments_;
  }

  void directive() {
    take();  // the percent sign
    key_value_.reset();
    if (peek() == '(') key();
    Directive directive;
    flags(directive);
    directive.width = number(kMaxFormatWidth, &directive.is_left);
    if (peek() == '.') {
      take();
      directive.precision = number(kMaxFormatPrecision, nullptr);
    }
    while (peek() == 'h' || peek() == 'l' || peek() == 'L') take();
    directive.type = take();
    if (directive.type == '%') return builder_.append_own("%");
    const Value value = next_argument();
    builder_.append(format(value, directive));
  }

  void key() {
    std::size_t depth = 0;
    const std::size_t begin = offset_ + 1;
    do {
      const char c = take();
      if (c == '(') ++depth;
      if (c == ')') --depth;
    } while (depth > 0);
    const Text name = format_.sub(begin, offset_ - 1 - begin);
    if (!arguments_.dict()) refuse("format requires a mapping");
    const Value* value = arguments_.dict()->find(name.bytes());
    if (!value) refuse("the format string asks for '{}', which is not given", name.bytes());
    key_value_ = *value;
  }

  void flags(Directive& directive) {
    for (;; take()) {
      switch (peek()) {
        case '-':
          directive.is_left = true;
          break;
        case '0':
          directive.is_zero = true;
          break;
        case '#':
          directive.is_alternate = true;
          break;
        case '+':
          directive.has_plus = true;
          break;
        case ' ':
          directive.has_blank = true;
          break;
        default:
          return;
      }
    }
  }

  std::size_t number(std::size_t limit, bool* is_left) {
    if (peek() == '*') {
      take();
      std::int64_t value = require_integer(next_argument());
      if (value < 0 && is_left) *is_left = true;
      if (value < 0) value = is_left && value > INT64_MIN ? -value : 0;
      if (static_cast<std::uint64_t>(value) > limit) refuse("the width in the format is too large");
      return static_cast<std::size_t>(value);
    }
    std::size_t value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + static_cast<std::size_t>(take() - '0');
      if (value > limit) refuse("the width or precision in the format is too large");
    }
    return value;
  }

  static Text format(const Value& value, const Directive& directive) {
    switch (directive.type) {
      case 's':
      case 'r':
        return text(directive.type == 's' ? to_text(value) : repr(value), directive);
      case 'c':
        return text(character(value), directive);
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return integer(value, directive);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return real(value, directive);
      default:
        refuse("unsupported format character '{}'", directive.type);
    }
  }

  static Text text(const Text& whole, const Directive& directive) {
    const std::size_t kept = std::min(directive.precision.value_or(whole.length()), whole.length());
    return pad(whole.sub(0, whole.offset_of(kept)), directive.width,
               directive.is_left ? Side::right : Side::left, Text::own(" "));
  }

  static Text character(const Value& value) {
    if (value.text() && value.text()->length() == 1) return *value.text();
    const auto number = value.integer();
    if (!number) refuse("%c requires int or char");
    if (*number < 0 || *number > 0x10ffff ||
        !is_scalar_value(static_cast<std::uint32_t>(*number))) {
      refuse("%c arg not in range(0x110000)");
    }
    std::string bytes;
    append_utf8(bytes, static_cast<char32_t>(*number));
    return Text::own(bytes);
  }

  static Text numeric(bool is_negative, std::string_view prefix, const std::string& digits,
                      const Directive& directive) {
    std::string head = is_negative           ? "-"
                       : directive.has_plus  ? "+"
                       : directive.has_blank ? " "
                                             : "";
    head += prefix;
    if (!directive.is_zero || directive.is_left) {
      return pad(Text::own(head + digits), directive.width,
                 directive.is_left ? Side::right : Side::left, Text::own(" "));
    }
    const std::size_t width = directive.width > head.size() ? directive.width - head.size() : 0;
    const Text body = pad(Text::own(digits), width, Side::left, Text::own("0"));
    return Text::own(head + std::string(body.bytes()));
  }

  static Text integer(const Value& value, const Directive& directive) {
    require_defined(value);
    const bool is_decimal = directive.type == 'd' || directive.type == 'i' || directive.type == 'u';
    std::optional<std::int64_t> number = value.integer();
    if (!number && is_decimal && value.as<double>()) number = truncate(*value.as<double>());
    if (!number) {
      refuse("%{} format: a number is required, not {}", directive.type, value.type_name());
    }
    std::string digits = format_digits(magnitude_of(*number), is_decimal ? 'd' : directive.type);
    if (directive.precision && digits.size() < *directive.precision) {
      digits.insert(0, *directive.precision - digits.size(), '0');
    }
    const std::string prefix =
        directive.is_alternate && !is_decimal ? std::string("0") + directive.type : std::string();
    return numeric(*number < 0, prefix, digits, directive);
  }

  static Text real(const Value& value, const Directive& directive) {
    require_defined(value);
    const auto number = value.real();
    if (!number) refuse("must be real number, not {}", value.type_name());
    const std::string digits = format_real(std::abs(*number), directive.type,
                                           directive.precision.value_or(6), directive.is_alternate);
    return numeric(std::signbit(*number) && !std::isnan(*number), "", digits, directive);
  }

  const Text& format_;
  std::string_view bytes_;
  const Value& arguments_;
  std::size_t offset_ = 0;
  std::size_t used_ = 0;
  std::optional<Value> key_value_;  // of a directive with a key
  TextBuilder builder_;
};

}  // namespace

Text percent_format(const Text& format, const Value& arguments) {
  return PercentFormatter(format, arguments).run();
}

}  // namespace cairn::text::jinja
