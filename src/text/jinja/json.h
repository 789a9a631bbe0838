#pragma once
// JSON in (contexts) and out (`tojson`, which writes exactly what Python's json.dumps writes).

#include <functional>
#include <optional>
#include <string_view>

#include "text/jinja/value.h"

namespace cairn::text::jinja {

/// Whether the string at a place of the document was written by the template's side. `path` holds
/// the keys from the outermost object inwards; items of arrays add none.
using OriginOf =
    std::function<Origin(const std::vector<std::string>& path, std::string_view string)>;

/// Throws Failure with line and column where it is no JSON, or nested deeper than values may be.
Value parse_json(std::string_view json, const OriginOf& origin_of = nullptr);

struct JsonStyle {
  std::optional<Text> indent;  // none: on one line
  Text item_separator = Text::own(", ");
  Text key_separator = Text::own(": ");
  bool ensure_ascii = false;
  bool sort_keys = false;
};

/// Refuses what JSON cannot hold: undefined values, functions, iterators.
Text write_json(const Value& value, const JsonStyle& style);

}  // namespace cairn::text::jinja
