#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/json.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {
namespace {

Text indent_of(const Value& indent) {
  if (indent.text()) return *indent.text();
  TextBuilder blanks;
  const std::int64_t width = require_integer(indent);
  if (width > 0) blanks.append_repeated(Text::own(" "), static_cast<std::size_t>(width));
  return blanks.finish();
}

/// As transformers has it: json.dumps without HTML escapes.
Value filter_tojson(Evaluator&, const Value& self, Arguments& arguments) {
  JsonStyle style;
  style.ensure_ascii = truth_or(arguments, 0, false);
  style.sort_keys = truth_or(arguments, 3, false);
  if (const Value indent = value_or_none(arguments, 1); !indent.is_none()) {
    style.indent = indent_of(indent);
    style.item_separator = Text::own(",");
  }
  if (const Value separators = value_or_none(arguments, 2); !separators.is_none()) {
    if (!separators.sequence() || separators.sequence()->items.size() != 2) {
      refuse("tojson needs two separators, for items and for keys");
    }
    style.item_separator = require_text(separators.sequence()->items[0]);
    style.key_separator = require_text(separators.sequence()->items[1]);
  }
  return write_json(self, style);
}

constexpr Builtin kFilters[] = {
    {"tojson", "ensure_ascii indent separators sort_keys", 0, filter_tojson},
};

}  // namespace

BuiltinTable json_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
