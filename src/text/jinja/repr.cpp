#include "text/jinja/repr.h"

#include <charconv>
#include <cmath>

#include "text/jinja/ast.h"
#include "text/jinja/dict.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

class Writer {
 public:
  explicit Writer(TextBuilder& builder) : builder_(builder) {}

  void write(const Value& value) {
    if (++depth_ > 2 * kMaxValueDepth) refuse("the value is nested too deep to be printed");
    if (const Text* text = value.text()) {
      write_text(*text);
    } else if (const Sequence* sequence = value.sequence()) {
      write_sequence(*sequence);
    } else if (const Dict* dict = value.dict()) {
      write_dict(*dict);
    } else if (value.object()) {
      write_object(value);
    } else {
      builder_.append_own(scalar(value));
    }
    --depth_;
  }

 private:
  static std::string scalar(const Value& value) {
    if (value.is_undefined()) return "Undefined";
    if (value.is_none()) return "None";
    if (const bool* boolean = value.as<bool>()) return *boolean ? "True" : "False";
    if (const double* real = value.as<double>()) return repr_float(*real);
    return fmt::to_string(*value.as<std::int64_t>());
  }

  void write_text(const Text& text) {
    const std::string_view bytes = text.bytes();
    const bool has_single = bytes.find('\'') != std::string_view::npos;
    const char quote = has_single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
    if (text.is_markup()) builder_.append_own("Markup(");
    builder_.append_own({&quote, 1});
    text.for_each_piece([&](std::string_view piece, Origin origin) {
      std::string escaped;
      for (std::size_t offset = 0; offset < piece.size();) {
        append_escaped(escaped, decode(piece, offset), quote);
      }
      builder_.append(escaped, origin);
    });
    builder_.append_own({&quote, 1});
    if (text.is_markup()) builder_.append_own(")");
  }

  static void append_escaped(std::string& bytes, char32_t c, char quote) {
    const auto number = static_cast<std::uint32_t>(c);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      bytes += '\\';
      bytes += static_cast<char>(c);
    } else if (c == '\n') {
      bytes += "\\n";
    } else if (c == '\r') {
      bytes += "\\r";
    } else if (c == '\t') {
      bytes += "\\t";
    } else if (is_printable(c)) {
      append_utf8(bytes, c);
    } else if (c < 0x100) {
      bytes += fmt::format("\\x{:02x}", number);
    } else {
      bytes += c < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
    }
  }

  void write_sequence(const Sequence& sequence) {
    const bool is_list = sequence.kind == Sequence::Kind::list;
    builder_.append_own(is_list ? "[" : "(");
    std::string_view separator;
    for (const Value& item : sequence.items) {
      builder_.append_own(separator);
      write(item);
      separator = ", ";
    }
    if (!is_list && sequence.items.size() == 1) builder_.append_own(",");
    builder_.append_own(is_list ? "]" : ")");
  }

  void write_dict(const Dict& dict) {
    builder_.append_own("{");
    std::string_view separator;
    for (const Dict::Entry& entry : dict.entries()) {
      builder_.append_own(separator);
      write(entry.key);
      builder_.append_own(": ");
      write(entry.value);
      separator = ", ";
    }
    builder_.append_own("}");
  }

  void write_object(const Value& value) {
    if (const auto* space = value.object_as<Namespace>()) return write_namespace(*space);
    if (const auto* number = value.object_as<BigInteger>()) {
      return builder_.append_own(number->digits());
    }
    if (const auto* view = value.object_as<View>()) return write_view(*view);
    if (const auto* range = value.object_as<Range>()) return builder_.append_own(range->repr());
    if (auto* loop = value.object_as<Loop>()) return builder_.append_own(loop->repr());
    if (const auto* macro = value.object_as<MacroObject>()) {
      return builder_.append_own(fmt::format("<Macro '{}'>", macro->node().name.name.bytes()));
    }
    builder_.append_own(fmt::format("<{} object>", value.type_name()));
  }

  void write_namespace(const Namespace& space) {
    builder_.append_own("<Namespace {");
    std::string_view separator;
    for (const auto& [name, value] : space.attributes()) {
      builder_.append_own(separator);
      write(name);
      builder_.append_own(": ");
      write(value);
      separator = ", ";
    }
    builder_.append_own("}>");
  }

  void write_view(const View& view) {
    builder_.append_own(view.type_name());
    builder_.append_own("([");
    for (std::size_t i = 0; i < *view.length(); ++i) {
      if (i > 0) builder_.append_own(", ");
      write(*view.item(i));
    }
    builder_.append_own("])");
  }

  TextBuilder& builder_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string repr_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, std::end(buffer), std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = text.find('e');
  std::string digits(text.substr(0, mark));
  std::erase(digits, '.');
  int exponent = 0;
  const std::string_view power = text.substr(mark + (text[mark + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), exponent);

  std::string result = std::signbit(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    result += digits[0];
    if (digits.size() > 1) result += "." + digits.substr(1);
    return result + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return result + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  result += digits.substr(0, whole) + ".";
  return result + (digits.size() > whole ? digits.substr(whole) : "0");
}

Text to_text(const Value& value) {
  if (const Text* text = value.text()) return *text;
  if (value.is_undefined()) return {};
  return repr(value);
}

void append_repr(TextBuilder& builder, const Value& value) {
  Writer(builder).write(value);
}

Text repr(const Value& value) {
  TextBuilder builder;
  append_repr(builder, value);
  return builder.finish();
}

}  // namespace cairn::text::jinja
