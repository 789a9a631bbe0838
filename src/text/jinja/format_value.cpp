#include <algorithm>
#include <cmath>

#include "text/jinja/format.h"
#include "text/jinja/limits.h"
#include "text/jinja/repr.h"
#include "text/jinja/text_operations.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

struct Spec {
  Text fill = Text::own(" ");
  char align = '\0';  // < > ^ =, or none
  char sign = '-';
  bool is_alternate = false;
  std::size_t width = 0;
  char grouping = '\0';
  std::optional<std::size_t> precision;
  char type = '\0';
};

class SpecReader {
 public:
  explicit SpecReader(std::string_view spec) : spec_(spec) {}

  Spec run() {
    Spec spec;
    const bool has_fill = read_alignment(spec);
    if (has_one_of("+- ")) spec.sign = take();
    if (has_one_of("#")) spec.is_alternate = take() != '\0';
    if (has_one_of("0")) {
      take();
      if (spec.align == '\0') spec.align = '=';
      if (!has_fill) spec.fill = Text::own("0");
    }
    spec.width = read_number(kMaxFormatWidth).value_or(0);
    if (has_one_of(",_")) spec.grouping = take();
    if (has_one_of(".")) {
      take();
      spec.precision = read_number(kMaxFormatPrecision);
      if (!spec.precision) refuse("Format specifier missing precision");
    }
    if (!spec_.empty()) spec.type = take();
    if (!spec_.empty()) refuse("Invalid format specifier");
    return spec;
  }

 private:
  bool has_one_of(std::string_view characters) const {
    return !spec_.empty() && characters.find(spec_[0]) != std::string_view::npos;
  }
  char take() {
    const char c = spec_[0];
    spec_.remove_prefix(1);
    return c;
  }
  /// True where a fill character is given.
  bool read_alignment(Spec& spec) {
    constexpr std::string_view alignments = "<>^=";
    if (spec_.empty()) return false;
    std::size_t behind_fill = 0;
    decode(spec_, behind_fill);
    const bool has_fill =
        behind_fill < spec_.size() && alignments.find(spec_[behind_fill]) != std::string_view::npos;
    if (has_fill) {
      spec.fill = Text::own(spec_.substr(0, behind_fill));
      spec_.remove_prefix(behind_fill);
    }
    if (has_one_of(alignments)) spec.align = take();
    return has_fill;
  }
  std::optional<std::size_t> read_number(std::size_t limit) {
    std::optional<std::size_t> number;
    while (!spec_.empty() && spec_[0] >= '0' && spec_[0] <= '9') {
      number = number.value_or(0) * 10 + static_cast<std::size_t>(take() - '0');
      if (*number > limit) refuse("the width or precision in the format is too large");
    }
    return number;
  }

  std::string_view spec_;
};

Text align(const Text& text, const Spec& spec, char otherwise) {
  switch (spec.align == '\0' ? otherwise : spec.align) {
    case '<':
      return pad(text, spec.width, Side::right, spec.fill);
    case '^': {
      const std::size_t missing = spec.width > text.length() ? spec.width - text.length() : 0;
      const Text left = pad(text, text.length() + missing / 2, Side::left, spec.fill);
      return pad(left, spec.width, Side::right, spec.fill);
    }
    default:
      return pad(text, spec.width, Side::left, spec.fill);
  }
}

std::string grouped(const std::string& digits, char separator, std::size_t size) {
  const std::size_t whole =
      std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
  std::string result;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % size == 0) result += separator;
    result += digits[i];
  }
  return result + digits.substr(whole);
}

/// Sign, prefix, digits; zeros or other fill go between prefix and digits for '='.
Text assemble(bool is_negative, std::string_view prefix, std::string digits, const Spec& spec) {
  std::string head = is_negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  head += prefix;
  if (spec.grouping != '\0') {
    const bool is_binary =
        spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X';
    const std::size_t size = is_binary ? 4 : 3;
    digits = grouped(digits, spec.grouping, size);
    if (spec.align == '=' && spec.fill.bytes() == "0") {
      // The padding zeros are grouped, too.
      while (head.size() + digits.size() < spec.width) {
        std::size_t run = digits.find(spec.grouping);
        run = run == std::string::npos ? std::min(digits.find('.'), digits.size()) : run;
        digits.insert(0, run % size == 0 && run > 0 ? std::string("0") + spec.grouping : "0");
      }
    }
  }
  if (spec.align != '=') return align(Text::own(head + digits), spec, '>');
  const std::size_t body_width = spec.width > head.size() ? spec.width - head.size() : 0;
  TextBuilder builder;
  builder.append_own(head);
  builder.append(pad(Text::own(digits), body_width, Side::left, spec.fill));
  return builder.finish();
}

Text format_number(double value, const Spec& spec) {
  const double magnitude = std::abs(value);
  const bool is_negative = std::signbit(value) && !std::isnan(value);
  if (spec.type == '\0' && !spec.precision) {
    return assemble(is_negative, "", repr_float(magnitude), spec);
  }
  const std::size_t precision = spec.precision.value_or(6);
  if (spec.type == '\0') {
    std::string digits = format_real(magnitude, 'g', std::max<std::size_t>(precision, 1), false);
    if (std::isfinite(value) && digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return assemble(is_negative, "", digits, spec);
  }
  if (std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos) {
    refuse("Unknown format code '{}' for object of type 'float'", spec.type);
  }
  const char type = spec.type == 'n' ? 'g' : spec.type;
  return assemble(is_negative, "", format_real(magnitude, type, precision, spec.is_alternate),
                  spec);
}

Text format_number(std::int64_t value, const Spec& spec) {
  if (spec.type != '\0' && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos) {
    return format_number(static_cast<double>(value), spec);
  }
  if (spec.precision) refuse("Precision not allowed in integer format specifier");
  if (spec.type == 'c') {
    if (value < 0 || value > 0x10ffff || !is_scalar_value(static_cast<std::uint32_t>(value))) {
      refuse("{} is no character", value);
    }
    std::string bytes;
    append_utf8(bytes, static_cast<char32_t>(value));
    return align(Text::own(bytes), spec, '>');
  }
  if (spec.type != '\0' && std::string_view("bdnoxX").find(spec.type) == std::string_view::npos) {
    refuse("Unknown format code '{}' for object of type 'int'", spec.type);
  }
  const std::string prefix =
      spec.is_alternate && spec.type != 'd' && spec.type != 'n' && spec.type != '\0'
          ? std::string("0") + spec.type
          : "";
  return assemble(value < 0, prefix, format_digits(magnitude_of(value), spec.type), spec);
}

Text format_text(const Text& text, const Spec& spec) {
  if (spec.type != '\0' && spec.type != 's') {
    refuse("Unknown format code '{}' for object of type 'str'", spec.type);
  }
  if (spec.sign != '-') refuse("Sign not allowed in string format specifier");
  if (spec.grouping != '\0') refuse("Cannot specify '{}' with 's'.", spec.grouping);
  if (spec.align == '=') refuse("'=' alignment not allowed in string format specifier");
  const std::size_t kept = std::min(spec.precision.value_or(text.length()), text.length());
  return align(text.sub(0, text.offset_of(kept)), spec, '<');
}

}  // namespace

std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

std::string format_digits(std::uint64_t magnitude, char type) {
  switch (type) {
    case 'b':
      return fmt::format("{:b}", magnitude);
    case 'o':
      return fmt::format("{:o}", magnitude);
    case 'x':
      return fmt::format("{:x}", magnitude);
    case 'X':
      return fmt::format("{:X}", magnitude);
    default:
      return fmt::to_string(magnitude);
  }
}

std::string format_real(double magnitude, char type, std::size_t precision, bool is_alternate) {
  if (!std::isfinite(magnitude)) {
    const bool is_upper_case = type == 'E' || type == 'F' || type == 'G';
    const std::string name = std::isnan(magnitude) ? "nan" : "inf";
    const std::string upper_name = std::isnan(magnitude) ? "NAN" : "INF";
    return (is_upper_case ? upper_name : name) + (type == '%' ? "%" : "");
  }
  if (type == '%') return format_real(magnitude * 100, 'f', precision, is_alternate) + "%";
  const std::string pattern = fmt::format("{{:{}.{}{}}}", is_alternate ? "#" : "", precision, type);
  return fmt::format(fmt::runtime(pattern), magnitude);
}

Text format_value(const Value& value, std::string_view spec) {
  if (spec.empty()) return to_text(value);
  const Spec parsed = SpecReader(spec).run();
  if (const Text* text = value.text()) return format_text(*text, parsed);
  if (const auto integer = value.integer()) return format_number(*integer, parsed);
  if (const double* real = value.as<double>()) return format_number(*real, parsed);
  refuse("unsupported format string passed to {}.__format__", value.type_name());
}

}  // namespace cairn::text::jinja
