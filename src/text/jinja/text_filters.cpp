#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"
#include "text/jinja/text_operations.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

Value filter_upper(Evaluator&, const Value& self, Arguments&) {
  return to_upper(to_text(self));
}
Value filter_lower(Evaluator&, const Value& self, Arguments&) {
  return to_lower(to_text(self));
}
Value filter_string(Evaluator&, const Value& self, Arguments&) {
  return to_text(self);
}

Value filter_capitalize(Evaluator&, const Value& self, Arguments&) {
  return capitalize(to_text(self));
}

Value filter_title(Evaluator&, const Value& self, Arguments&) {
  const Text text = to_text(self);
  const std::string_view bytes = text.bytes();
  TextBuilder builder;
  bool starts_word = true;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const std::size_t begin = offset;
    const char32_t c = decode(bytes, offset);
    std::string mapped;
    starts_word ? append_upper(mapped, c) : append_lower(mapped, c);
    builder.append(mapped, text.origin_at(begin));
    starts_word = is_space(c) || (c < 0x80 && std::string_view("-({[<").find(
                                                  static_cast<char>(c)) != std::string_view::npos);
  }
  return builder.finish(text.is_markup());
}

Value filter_trim(Evaluator&, const Value& self, Arguments& arguments) {
  std::optional<Text> characters;
  if (!value_or_none(arguments, 0).is_none()) characters = require_text(arguments[0]);
  return strip(to_text(self), Side::both, characters);
}

Value filter_replace(Evaluator&, const Value& self, Arguments& arguments) {
  const Text text = to_text(self).with_markup(false);
  return replace(text, to_text(arguments[0]), to_text(arguments[1]), integer_or(arguments, 2, -1));
}

Value filter_center(Evaluator&, const Value& self, Arguments& arguments) {
  const std::int64_t width = std::max<std::int64_t>(integer_or(arguments, 0, 80), 0);
  return center(to_text(self), static_cast<std::size_t>(width), Text::own(" "));
}

/// The filter refuses what cannot be added to a string.
Value filter_indent(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& text = require_text(self);
  Text indention;
  if (arguments.has(0) && arguments[0].text()) {
    indention = *arguments[0].text();
  } else {
    TextBuilder blanks;
    const std::int64_t width = std::max<std::int64_t>(integer_or(arguments, 0, 4), 0);
    blanks.append_repeated(Text::own(" "), static_cast<std::size_t>(width));
    indention = blanks.finish();
  }
  const bool indents_first = truth_or(arguments, 1, false);
  const bool indents_blank = truth_or(arguments, 2, false);
  TextBuilder with_newline;
  with_newline.append(text);
  with_newline.append_own("\n");
  TextBuilder builder;
  bool is_first = true;
  for (const Text& line : split_lines(with_newline.finish())) {
    if (!is_first) builder.append_own("\n");
    if (is_first ? indents_first : indents_blank || !line.empty()) builder.append(indention);
    builder.append(line);
    is_first = false;
  }
  return builder.finish(text.is_markup());
}

Value filter_truncate(Evaluator&, const Value& self, Arguments& arguments) {
  const std::int64_t length = integer_or(arguments, 0, 255);
  const bool kills_words = truth_or(arguments, 1, false);
  const Text end = text_or(arguments, 2, "...");
  const std::int64_t leeway = integer_or(arguments, 3, 5);
  const auto end_length = static_cast<std::int64_t>(end.length());
  if (length < end_length) refuse("expected length >= {}, got {}", end_length, length);
  if (leeway < 0) refuse("expected leeway >= 0, got {}", leeway);
  // A short list passes, too.
  const auto own_length = static_cast<std::int64_t>(length_of(self).value_or(0));
  if (length_of(self) && own_length - leeway <= length) return self;
  const Text& text = require_text(self);
  const Text kept = text.sub(0, text.offset_of(static_cast<std::size_t>(length - end_length)));
  TextBuilder builder;
  builder.append(kills_words ? kept : split_from_right(kept, Text::own(" "), 1).front());
  builder.append(end);
  return builder.finish(text.is_markup());
}

Value filter_wordcount(Evaluator&, const Value& self, Arguments&) {
  const Text text = to_text(self);
  std::size_t count = 0;
  bool is_in_word = false;
  for (std::size_t offset = 0; offset < text.size();) {
    const bool is_part = is_word(decode(text.bytes(), offset));
    if (is_part && !is_in_word) ++count;
    is_in_word = is_part;
  }
  return Value::size(count);
}

Value filter_format(Evaluator&, const Value& self, Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.keywords.empty()) {
    refuse("format takes positional or keyword arguments, not both");
  }
  if (arguments.keywords.empty()) {
    return percent_format(to_text(self), Value::tuple(std::move(arguments.positional)));
  }
  DictBuilder keywords;
  for (auto& [name, value] : arguments.keywords) keywords.set(name, std::move(value));
  return percent_format(to_text(self), keywords.finish());
}

void append_url_quoted(TextBuilder& builder, const Text& text, bool is_query) {
  const std::string_view safe = is_query ? "_.-~" : "_.-~/";
  text.for_each_piece([&](std::string_view piece, Origin origin) {
    std::string quoted;
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80 && (std::isalnum(byte) || safe.find(c) != std::string_view::npos)) {
        quoted += c;
      } else if (is_query && c == ' ') {
        quoted += '+';
      } else {
        quoted += fmt::format("%{:02X}", byte);
      }
    }
    builder.append(quoted, origin);
  });
}

Value filter_urlencode(Evaluator& evaluator, const Value& self, Arguments&) {
  TextBuilder builder;
  if (self.text() || !Cursor::can_iterate(self)) {
    append_url_quoted(builder, to_text(self), false);
    return builder.finish();
  }
  const Value pairs = self.dict() ? make_object<View>(View::Kind::items, self) : self;
  bool is_first = true;
  for (const Value& pair : evaluator.items(pairs)) {
    const std::vector<Value> parts = evaluator.items(pair);
    if (parts.size() != 2) refuse("urlencode needs pairs of a key and a value");
    if (!is_first) builder.append_own("&");
    is_first = false;
    append_url_quoted(builder, to_text(parts[0]), true);
    builder.append_own("=");
    append_url_quoted(builder, to_text(parts[1]), true);
  }
  return builder.finish();
}

constexpr Builtin kFilters[] = {
    {"trim", "chars", 0, filter_trim},
    {"replace", "old new count", 2, filter_replace},
    {"string", "", 0, filter_string},
    {"upper", "", 0, filter_upper},
    {"lower", "", 0, filter_lower},
    {"capitalize", "", 0, filter_capitalize},
    {"title", "", 0, filter_title},
    {"center", "width", 0, filter_center},
    {"indent", "width first blank", 0, filter_indent},
    {"truncate", "length killwords end leeway", 0, filter_truncate},
    {"wordcount", "", 0, filter_wordcount},
    {"format", "* **", 0, filter_format},
    {"urlencode", "", 0, filter_urlencode},
};

}  // namespace

BuiltinTable text_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
