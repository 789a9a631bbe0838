// str methods that look for something: find, count, startswith and their kin.
#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {
namespace {

/// The bytes between the optional start and end arguments, which count characters.
struct Region {
  std::string_view bytes;
  std::size_t begin;  // byte offset in the whole text
  bool is_valid;      // start lies within the text
};

Region region_of(const Text& text, const Arguments& arguments) {
  const auto length = static_cast<std::int64_t>(text.length());
  const auto clamp = [&](std::int64_t index) {
    return index < 0 ? std::max<std::int64_t>(index + length, 0) : index;
  };
  const std::int64_t start = clamp(integer_or(arguments, 1, 0));
  const std::int64_t stop = std::min(clamp(integer_or(arguments, 2, length)), length);
  if (start > stop) return {"", 0, false};
  const std::size_t begin = text.offset_of(static_cast<std::size_t>(start));
  const std::size_t end = text.offset_of(static_cast<std::size_t>(stop));
  return {text.bytes().substr(begin, end - begin), begin, true};
}

/// The position in characters, -1 where it is not there.
std::int64_t find(const Value& self, const Arguments& arguments, bool from_right) {
  const Text& text = *self.text();
  const std::string_view needle = require_text(arguments[0]).bytes();
  const Region region = region_of(text, arguments);
  if (!region.is_valid) return -1;
  const std::size_t at = from_right ? region.bytes.rfind(needle) : region.bytes.find(needle);
  if (at == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(text.index_of(region.begin + at));
}

Value method_find(Evaluator&, const Value& self, Arguments& arguments) {
  return find(self, arguments, false);
}
Value method_rfind(Evaluator&, const Value& self, Arguments& arguments) {
  return find(self, arguments, true);
}
Value method_index(Evaluator&, const Value& self, Arguments& arguments) {
  const std::int64_t position = find(self, arguments, false);
  if (position < 0) refuse("substring not found");
  return position;
}
Value method_rindex(Evaluator&, const Value& self, Arguments& arguments) {
  const std::int64_t position = find(self, arguments, true);
  if (position < 0) refuse("substring not found");
  return position;
}

Value method_count(Evaluator&, const Value& self, Arguments& arguments) {
  const std::string_view needle = require_text(arguments[0]).bytes();
  const Region region = region_of(*self.text(), arguments);
  if (!region.is_valid) return std::int64_t{0};
  if (needle.empty()) return Value::size(Text::own(region.bytes).length() + 1);
  std::size_t count = 0;
  std::size_t at = region.bytes.find(needle);
  for (; at != std::string_view::npos; at = region.bytes.find(needle, at + needle.size())) ++count;
  return Value::size(count);
}

using Matches = bool (*)(std::string_view text, std::string_view part);

/// The argument is a string, or a tuple of strings of which one must fit.
bool matches_any(const Value& self, const Arguments& arguments, Matches matches) {
  require_defined(arguments[0]);
  const Region region = region_of(*self.text(), arguments);
  if (!arguments[0].is_tuple()) {
    return matches(region.bytes, require_text(arguments[0]).bytes()) && region.is_valid;
  }
  bool any = false;
  for (const Value& part : arguments[0].sequence()->items) {
    any = any || matches(region.bytes, require_text(part).bytes());
  }
  return any && region.is_valid;
}

Value method_startswith(Evaluator&, const Value& self, Arguments& arguments) {
  return matches_any(self, arguments, [](std::string_view text, std::string_view part) {
    return text.starts_with(part);
  });
}
Value method_endswith(Evaluator&, const Value& self, Arguments& arguments) {
  return matches_any(self, arguments, [](std::string_view text, std::string_view part) {
    return text.ends_with(part);
  });
}

constexpr Builtin kMethods[] = {
    {"startswith", "_ _ _", 1, method_startswith},
    {"endswith", "_ _ _", 1, method_endswith},
    {"find", "_ _ _", 1, method_find},
    {"rfind", "_ _ _", 1, method_rfind},
    {"index", "_ _ _", 1, method_index},
    {"rindex", "_ _ _", 1, method_rindex},
    {"count", "_ _ _", 1, method_count},
};

}  // namespace

BuiltinTable text_search_methods() {
  return kMethods;
}

}  // namespace cairn::text::jinja
