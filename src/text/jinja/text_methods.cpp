// str methods that give text or lists of text.
#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/format.h"
#include "text/jinja/text_operations.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

std::optional<Text> text_argument(const Arguments& arguments, std::size_t index) {
  const Value value = value_or_none(arguments, index);
  return value.is_none() ? std::nullopt : std::optional(require_text(value));
}

Value list_of(std::vector<Text> parts) {
  return Value::list(
      {std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end())});
}

Value method_upper(Evaluator&, const Value& self, Arguments&) {
  return to_upper(*self.text());
}
Value method_lower(Evaluator&, const Value& self, Arguments&) {
  return to_lower(*self.text());
}
Value method_capitalize(Evaluator&, const Value& self, Arguments&) {
  return capitalize(*self.text());
}

void append_swapped(std::string& bytes, char32_t c) {
  is_upper(c) ? append_lower(bytes, c) : append_upper(bytes, c);
}
Value method_swapcase(Evaluator&, const Value& self, Arguments&) {
  return map_characters(*self.text(), append_swapped);
}

Value method_title(Evaluator&, const Value& self, Arguments&) {
  const Text& text = *self.text();
  TextBuilder builder;
  bool is_behind_cased = false;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t begin = offset;
    const char32_t c = decode(text.bytes(), offset);
    std::string mapped;
    is_behind_cased ? append_lower(mapped, c) : append_title(mapped, c);
    builder.append(mapped, text.origin_at(begin));
    is_behind_cased = is_upper(c) || is_lower(c) || is_title(c);
  }
  return builder.finish(text.is_markup());
}

Value method_strip(Evaluator&, const Value& self, Arguments& arguments) {
  return strip(*self.text(), Side::both, text_argument(arguments, 0));
}
Value method_lstrip(Evaluator&, const Value& self, Arguments& arguments) {
  return strip(*self.text(), Side::left, text_argument(arguments, 0));
}
Value method_rstrip(Evaluator&, const Value& self, Arguments& arguments) {
  return strip(*self.text(), Side::right, text_argument(arguments, 0));
}

Value method_removeprefix(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& text = *self.text();
  const Text& prefix = require_text(arguments[0]);
  return text.bytes().starts_with(prefix.bytes()) ? text.sub(prefix.size()) : text;
}
Value method_removesuffix(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& text = *self.text();
  const Text& suffix = require_text(arguments[0]);
  const bool has_it = text.bytes().ends_with(suffix.bytes());
  return has_it ? text.sub(0, text.size() - suffix.size()) : text;
}

Value method_replace(Evaluator&, const Value& self, Arguments& arguments) {
  return replace(*self.text(), require_text(arguments[0]), require_text(arguments[1]),
                 arguments.has(2) ? require_integer(arguments[2]) : -1);
}

Value method_split(Evaluator&, const Value& self, Arguments& arguments) {
  return list_of(split(*self.text(), text_argument(arguments, 0), integer_or(arguments, 1, -1)));
}
Value method_rsplit(Evaluator&, const Value& self, Arguments& arguments) {
  return list_of(
      split_from_right(*self.text(), text_argument(arguments, 0), integer_or(arguments, 1, -1)));
}
Value method_splitlines(Evaluator&, const Value& self, Arguments& arguments) {
  return list_of(split_lines(*self.text(), truth_or(arguments, 0, false)));
}

Value method_partition(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& separator = require_text(arguments[0]);
  std::vector<Text> parts = split(*self.text(), separator, 1);
  const bool markup = self.text()->is_markup();
  const Text none = Text().with_markup(markup);
  if (parts.size() == 1) return Value::tuple({parts[0], none, none});
  return Value::tuple({parts[0], separator.with_markup(markup), parts[1]});
}
Value method_rpartition(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& separator = require_text(arguments[0]);
  std::vector<Text> parts = split_from_right(*self.text(), separator, 1);
  const bool markup = self.text()->is_markup();
  const Text none = Text().with_markup(markup);
  if (parts.size() == 1) return Value::tuple({none, none, parts[0]});
  return Value::tuple({parts[0], separator.with_markup(markup), parts[1]});
}

Value method_join(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  TextBuilder builder;
  std::size_t index = 0;
  for (const Value& item : evaluator.items(arguments[0])) {
    if (!item.text()) {
      refuse("sequence item {}: expected str instance, {} found", index, item.type_name());
    }
    if (index++ > 0) builder.append(*self.text());
    builder.append(*item.text());
  }
  return builder.finish(self.text()->is_markup());
}

std::size_t width_of(const Arguments& arguments) {
  return static_cast<std::size_t>(std::max<std::int64_t>(require_integer(arguments[0]), 0));
}

Value method_center(Evaluator&, const Value& self, Arguments& arguments) {
  return center(*self.text(), width_of(arguments), text_or(arguments, 1, " "));
}
Value method_ljust(Evaluator&, const Value& self, Arguments& arguments) {
  return pad(*self.text(), width_of(arguments), Side::right, text_or(arguments, 1, " "));
}
Value method_rjust(Evaluator&, const Value& self, Arguments& arguments) {
  return pad(*self.text(), width_of(arguments), Side::left, text_or(arguments, 1, " "));
}

Value method_zfill(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& text = *self.text();
  const std::size_t width = width_of(arguments);
  if (width <= text.length()) return text;
  const bool has_sign = text.bytes().starts_with('-') || text.bytes().starts_with('+');
  TextBuilder builder;
  builder.append(text, 0, has_sign ? 1 : 0);
  builder.append_repeated(Text::own("0"), width - text.length());
  builder.append(text, has_sign ? 1 : 0, text.size());
  return builder.finish(text.is_markup());
}

Value method_expandtabs(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& text = *self.text();
  const std::int64_t size = integer_or(arguments, 0, 8);
  TextBuilder builder;
  std::int64_t column = 0;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t begin = offset;
    const char32_t c = decode(text.bytes(), offset);
    if (c == '\t') {
      const std::int64_t blanks = size > 0 ? size - column % size : 0;
      builder.append_repeated(Text(" ", text.origin_at(begin)), static_cast<std::size_t>(blanks));
      column += blanks;
    } else {
      builder.append(text, begin, offset);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  return builder.finish(text.is_markup());
}

Value method_format(Evaluator&, const Value& self, Arguments& arguments) {
  return brace_format(*self.text(), arguments);
}
Value method_format_map(Evaluator&, const Value& self, Arguments& arguments) {
  const Value mapping = arguments[0];
  require_defined(mapping);
  Arguments keywords;
  if (!mapping.dict()) refuse("format_map needs a mapping, not '{}'", mapping.type_name());
  for (const auto& [key, value] : mapping.dict()->entries()) {
    if (key.text()) keywords.keywords.emplace_back(*key.text(), value);
  }
  return brace_format(*self.text(), keywords);
}

constexpr Builtin kMethods[] = {
    {"split", "sep maxsplit", 0, method_split},
    {"strip", "_", 0, method_strip},
    {"lstrip", "_", 0, method_lstrip},
    {"rstrip", "_", 0, method_rstrip},
    {"replace", "_ _ _", 2, method_replace},
    {"format", "* **", 0, method_format},
    {"join", "_", 1, method_join},
    {"upper", "", 0, method_upper},
    {"lower", "", 0, method_lower},
    {"title", "", 0, method_title},
    {"capitalize", "", 0, method_capitalize},
    {"swapcase", "", 0, method_swapcase},
    {"removeprefix", "_", 1, method_removeprefix},
    {"removesuffix", "_", 1, method_removesuffix},
    {"rsplit", "sep maxsplit", 0, method_rsplit},
    {"splitlines", "keepends", 0, method_splitlines},
    {"partition", "_", 1, method_partition},
    {"rpartition", "_", 1, method_rpartition},
    {"center", "_ _", 1, method_center},
    {"ljust", "_ _", 1, method_ljust},
    {"rjust", "_ _", 1, method_rjust},
    {"zfill", "_", 1, method_zfill},
    {"expandtabs", "tabsize", 0, method_expandtabs},
    {"format_map", "_", 1, method_format_map},
};

}  // namespace

BuiltinTable text_methods() {
  return kMethods;
}

}  // namespace cairn::text::jinja
