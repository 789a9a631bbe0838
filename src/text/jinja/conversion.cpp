#include "text/jinja/conversion.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "text/jinja/access.h"
#include "text/jinja/limits.h"
#include "text/jinja/scanner.h"

namespace cairn::text::jinja {
namespace {

bool is_given(const Arguments& arguments, std::size_t index) {
  return arguments.has(index) && !arguments[index].is_none();
}

std::string_view strip(std::string_view bytes) {
  const std::size_t begin = skip_space(bytes, 0);
  return bytes.substr(begin, trim_space(bytes, begin, bytes.size()) - begin);
}

/// Takes single underscores out from between digits; false where one stands elsewhere.
bool drop_underscores(std::string& digits) {
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') {
      result += digits[i];
      continue;
    }
    const bool is_between = i > 0 && i + 1 < digits.size() &&
                            std::isxdigit(static_cast<unsigned char>(digits[i - 1])) &&
                            std::isxdigit(static_cast<unsigned char>(digits[i + 1]));
    if (!is_between) return false;
  }
  digits = result;
  return true;
}

bool take_sign(std::string_view& bytes) {
  const bool is_negative = bytes.starts_with('-');
  if (is_negative || bytes.starts_with('+')) bytes.remove_prefix(1);
  return is_negative;
}

/// Removes 0x, 0o or 0b where `base` allows it and returns the base to read with.
int take_prefix(std::string_view& bytes, std::int64_t base) {
  int prefixed = 0;
  if (bytes.size() > 2 && bytes[0] == '0') {
    const char mark = static_cast<char>(bytes[1] | 32);
    prefixed = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  }
  if (prefixed != 0 && (base == 0 || base == prefixed)) {
    bytes.remove_prefix(bytes[2] == '_' ? 3 : 2);
    return prefixed;
  }
  return base == 0 ? 10 : static_cast<int>(base);
}

}  // namespace

std::int64_t require_integer(const Value& value) {
  require_defined(value);
  const auto integer = value.integer();
  if (!integer) {
    refuse("'{}' object cannot be interpreted as an integer", value.type_name());
  }
  return *integer;
}

const Text& require_text(const Value& value) {
  require_defined(value);
  if (!value.text()) refuse("expected a string, not '{}'", value.type_name());
  return *value.text();
}

std::int64_t integer_or(const Arguments& arguments, std::size_t index, std::int64_t otherwise) {
  return is_given(arguments, index) ? require_integer(arguments[index]) : otherwise;
}

Text text_or(const Arguments& arguments, std::size_t index, std::string_view otherwise) {
  return is_given(arguments, index) ? require_text(arguments[index]) : Text::own(otherwise);
}

bool truth_or(const Arguments& arguments, std::size_t index, bool otherwise) {
  return arguments.has(index) ? truth(arguments[index]) : otherwise;
}

Value value_or_none(const Arguments& arguments, std::size_t index) {
  return is_given(arguments, index) ? arguments[index] : Value(None{});
}

std::optional<std::int64_t> parse_integer(const Text& text, std::int64_t base) {
  if (base != 0 && (base < 2 || base > 36)) refuse("int() base must be >= 2 and <= 36, or 0");
  std::string_view bytes = strip(text.bytes());
  const bool is_negative = take_sign(bytes);
  const int radix = take_prefix(bytes, base);
  std::string digits(bytes);
  if (!drop_underscores(digits) || digits.empty() || digits[0] == '-') return std::nullopt;
  if (base == 0 && radix == 10 && digits[0] == '0' &&
      digits.find_first_not_of('0') != std::string::npos) {
    return std::nullopt;
  }
  if (is_negative) digits.insert(digits.begin(), '-');
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, radix);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec != std::errc()) refuse("the integer does not fit into 64 bits");
  return value;
}

std::optional<double> parse_real(const Text& text) {
  std::string_view bytes = strip(text.bytes());
  const bool is_negative = take_sign(bytes);
  std::string digits(bytes);
  if (!drop_underscores(digits) || digits.empty() || digits[0] == '-') return std::nullopt;
  double value = 0;
  const char* end = digits.data() + digits.size();
  // from_chars knows inf, infinity and nan, as Python does; "nan(...)" it must not accept.
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end || digits.back() == ')') return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    const std::size_t mark = digits.find_first_of("eE");
    const bool is_tiny = mark != std::string::npos && digits[mark + 1] == '-';
    value = is_tiny ? 0 : std::numeric_limits<double>::infinity();
  } else if (result.ec != std::errc()) {
    return std::nullopt;
  }
  return is_negative ? -value : value;
}

std::int64_t truncate(double real) {
  if (std::isnan(real)) refuse("cannot convert float NaN to integer");
  if (std::isinf(real)) refuse("cannot convert float infinity to integer");
  if (!(real > -0x1p63 && real < 0x1p63)) refuse("the number does not fit into a 64-bit integer");
  return static_cast<std::int64_t>(real);
}

}  // namespace cairn::text::jinja
