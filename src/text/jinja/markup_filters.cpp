#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/dict.h"
#include "text/jinja/limits.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"
#include "text/jinja/text_operations.h"

namespace cairn::text::jinja {

Text escape_html(const Text& text) {
  TextBuilder builder;
  text.for_each_piece([&](std::string_view piece, Origin origin) {
    std::string escaped;
    for (const char c : piece) {
      switch (c) {
        case '&':
          escaped += "&amp;";
          break;
        case '<':
          escaped += "&lt;";
          break;
        case '>':
          escaped += "&gt;";
          break;
        case '\'':
          escaped += "&#39;";
          break;
        case '"':
          escaped += "&#34;";
          break;
        default:
          escaped += c;
      }
    }
    builder.append(escaped, origin);
  });
  return builder.finish(/*markup=*/true);
}

namespace {

Value filter_escape(Evaluator&, const Value& self, Arguments&) {
  const Text text = to_text(self);
  return text.is_markup() ? text : escape_html(text);
}

Value filter_force_escape(Evaluator&, const Value& self, Arguments&) {
  return escape_html(to_text(self));
}

Value filter_safe(Evaluator&, const Value& self, Arguments&) {
  return to_text(self).with_markup(true);
}

Text without(const Text& text, std::string_view open, std::string_view close) {
  TextBuilder builder;
  std::size_t offset = 0;
  for (;;) {
    const std::size_t begin = text.bytes().find(open, offset);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.bytes().find(close, begin);
    if (end == std::string_view::npos) break;
    builder.append(text, offset, begin);
    offset = end + close.size();
  }
  builder.append(text, offset, text.size());
  return builder.finish();
}

Text unescape_html(Text text) {
  constexpr std::pair<std::string_view, std::string_view> entities[] = {
      {"&lt;", "<"},   {"&gt;", ">"},  {"&quot;", "\""},
      {"&#34;", "\""}, {"&#39;", "'"}, {"&amp;", "&"},
  };
  for (const auto& [entity, character] : entities) {
    text = replace(text, Text::own(entity), Text::own(character));
  }
  return text;
}

Value filter_striptags(Evaluator&, const Value& self, Arguments&) {
  const Text text = without(without(to_text(self), "<!--", "-->"), "<", ">");
  TextBuilder builder;
  bool is_first = true;
  for (const Text& word : split(text, std::nullopt)) {
    if (!is_first) builder.append_own(" ");
    is_first = false;
    builder.append(word);
  }
  return unescape_html(builder.finish());
}

Value filter_xmlattr(Evaluator&, const Value& self, Arguments& arguments) {
  if (!self.dict()) refuse("xmlattr needs a mapping, not '{}'", self.type_name());
  TextBuilder builder;
  for (const auto& [key, value] : self.dict()->entries()) {
    if (value.is_none() || value.is_undefined()) continue;
    const Text& name = require_text(key);
    if (name.bytes().find_first_of(" \t\n\r\f\v/>=") != std::string_view::npos) {
      refuse("invalid character in attribute name: {}", repr(key).bytes());
    }
    if (builder.size() > 0 || truth_or(arguments, 0, true)) builder.append_own(" ");
    builder.append(escape_html(name));
    builder.append_own("=\"");
    const Text text = to_text(value);
    builder.append(text.is_markup() ? text : escape_html(text));
    builder.append_own("\"");
  }
  return builder.finish();
}

constexpr Builtin kFilters[] = {
    {"escape", "", 0, filter_escape},       {"e", "", 0, filter_escape},
    {"safe", "", 0, filter_safe},           {"forceescape", "", 0, filter_force_escape},
    {"striptags", "", 0, filter_striptags}, {"xmlattr", "autospace", 0, filter_xmlattr},
};

}  // namespace

BuiltinTable markup_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
