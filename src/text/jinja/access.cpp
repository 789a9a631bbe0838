#include "text/jinja/access.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "text/jinja/builtin.h"
#include "text/jinja/dict.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"
#include "text/jinja/repr.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

/// What would change a list or dict; the sandbox hides it.
bool is_mutation(const Value& subject, std::string_view name) {
  constexpr std::string_view list_names[] = {"append", "clear", "pop",    "reverse",
                                             "insert", "sort",  "extend", "remove"};
  constexpr std::string_view dict_names[] = {"clear", "pop", "popitem", "setdefault", "update"};
  if (subject.is_list()) return std::count(std::begin(list_names), std::end(list_names), name) > 0;
  return subject.dict() && std::count(std::begin(dict_names), std::end(dict_names), name) > 0;
}

std::string describe(const Value& subject) {
  return subject.is_none() ? "None" : fmt::format("{} object", subject.type_name());
}

Value missing(const Value& subject, const Value& name) {
  if (const Text* text = name.text()) {
    return Value::undefined(
        fmt::format("'{}' has no attribute '{}'", describe(subject), text->bytes()));
  }
  return Value::undefined(
      fmt::format("{} has no element {}", describe(subject), repr(name).bytes()));
}

/// The attribute or method, without looking for keys.
std::optional<Value> find_attribute(const Value& subject, const Text& name) {
  const std::string_view bytes = name.bytes();
  if (Object* object = subject.object()) {
    if (auto value = object->attribute(bytes)) return value;
  }
  if (subject.sequence() && subject.sequence()->field_names) {
    const auto& [first, second] = *subject.sequence()->field_names;
    if (bytes == first) return subject.sequence()->items[0];
    if (bytes == second) return subject.sequence()->items[1];
  }
  if (const Builtin* method = find_method(subject, bytes)) {
    return make_object<BoundMethod>(*method, subject);
  }
  const bool is_internal = bytes.size() > 4 && bytes.starts_with("__") && bytes.ends_with("__");
  if (!is_internal && !is_mutation(subject, bytes)) return std::nullopt;
  if (is_internal && subject.dict() && subject.dict()->find(bytes)) return std::nullopt;
  return Value::undefined(
      fmt::format("access to attribute '{}' of '{}' object is unsafe", bytes, subject.type_name()));
}

/// The position that Python's index means, none where it is out of range.
std::optional<std::size_t> position_of(std::int64_t index, std::size_t length) {
  const auto count = static_cast<std::int64_t>(length);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

Text character_at(const Text& text, std::size_t position) {
  const std::size_t begin = text.offset_of(position);
  std::size_t end = begin;
  decode(text.bytes(), end);
  return text.sub(begin, end - begin);
}

std::optional<Value> find_item(const Value& subject, const Value& index) {
  if (const Dict* dict = subject.dict()) {
    const Value* value = dict->find(index);
    return value ? std::optional(*value) : std::nullopt;
  }
  const auto number = index.integer();
  if (!number) return std::nullopt;
  const auto* range = subject.object_as<Range>();
  if (!subject.sequence() && !subject.text() && !range) return std::nullopt;
  const auto position = position_of(*number, length_of(subject).value_or(0));
  if (!position) return std::nullopt;
  if (range) return range->item(*position);
  if (const Text* text = subject.text()) return character_at(*text, *position);
  return subject.sequence()->items[*position];
}

struct Bounds {
  std::int64_t start;
  std::int64_t stop;
  std::int64_t step;

  std::size_t count() const {
    const std::int64_t span = step > 0 ? stop - start : start - stop;
    if (span <= 0) return 0;
    const auto width = static_cast<std::uint64_t>(span - 1);
    // The negation in unsigned numbers is safe for the smallest step, too.
    const std::uint64_t stride =
        step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    return static_cast<std::size_t>(width / stride + 1);
  }
};

/// Python's slice.indices(length).
Bounds bounds_of(const Value& start, const Value& stop, const Value& step, std::size_t length) {
  const auto is_absent = [](const Value& v) { return v.is_unset() || v.is_none(); };
  for (const Value* bound : {&start, &stop, &step}) {
    if (!is_absent(*bound) && !bound->integer()) refuse("slice indices must be integers or None");
  }
  const auto count = static_cast<std::int64_t>(length);
  Bounds bounds{0, 0, step.integer().value_or(1)};
  if (bounds.step == 0) refuse("slice step cannot be zero");
  const std::int64_t lowest = bounds.step < 0 ? -1 : 0;
  const std::int64_t highest = bounds.step < 0 ? count - 1 : count;
  const auto clamp = [&](const Value& bound, std::int64_t otherwise) {
    if (is_absent(bound)) return otherwise;
    const std::int64_t value = *bound.integer();
    return value < 0 ? std::max(value + count, lowest) : std::min(value, highest);
  };
  bounds.start = clamp(start, bounds.step < 0 ? highest : lowest);
  bounds.stop = clamp(stop, bounds.step < 0 ? lowest : highest);
  return bounds;
}

Text slice_text(const Text& text, const Bounds& bounds) {
  const std::size_t count = bounds.count();
  if (count == 0) return {};
  const auto start = static_cast<std::size_t>(bounds.start);
  if (bounds.step == 1) {
    const std::size_t begin = text.offset_of(start);
    std::size_t end = begin;
    if (text.is_ascii()) {
      end += count;
    } else {
      for (std::size_t i = 0; i < count; ++i) decode(text.bytes(), end);
    }
    return text.sub(begin, end - begin);
  }
  std::vector<std::size_t> offsets;  // of every character, and the end
  for (std::size_t offset = 0; offset < text.size();) {
    offsets.push_back(offset);
    decode(text.bytes(), offset);
  }
  offsets.push_back(text.size());
  TextBuilder builder;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at =
        static_cast<std::size_t>(bounds.start + static_cast<std::int64_t>(i) * bounds.step);
    builder.append(text, offsets[at], offsets[at + 1]);
  }
  return builder.finish(text.is_markup());
}

}  // namespace

void require_defined(const Value& value) {
  if (value.is_undefined()) refuse("{}", value.undefined_message());
}

Value attribute_of(const Value& subject, const Text& name) {
  require_defined(subject);
  if (auto value = find_attribute(subject, name)) return std::move(*value);
  if (auto value = find_item(subject, name)) return std::move(*value);
  return missing(subject, name);
}

Value item_of(const Value& subject, const Value& index) {
  require_defined(subject);
  if (auto value = find_item(subject, index)) return std::move(*value);
  if (const Text* name = index.text()) {
    if (auto value = find_attribute(subject, *name)) return std::move(*value);
  }
  return missing(subject, index);
}

Value slice_of(const Value& subject, const Value& start, const Value& stop, const Value& step) {
  require_defined(subject);
  if (!subject.text() && !subject.sequence() && !subject.object_as<Range>()) {
    refuse("'{}' object cannot be sliced", subject.type_name());
  }
  const Bounds bounds = bounds_of(start, stop, step, *length_of(subject));
  if (const Text* text = subject.text()) return slice_text(*text, bounds);
  std::vector<Value> items;
  const std::size_t count = bounds.count();
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = bounds.start + static_cast<std::int64_t>(i) * bounds.step;
    items.push_back(*find_item(subject, at));
  }
  return subject.is_tuple() ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

Value attribute_path(const Value& subject, const Value& path, const Value& otherwise) {
  const auto step = [&](const Value& value, const Value& part) {
    Value next = item_of(value, part);
    const bool is_replaced = next.is_undefined() && !otherwise.is_unset() && !otherwise.is_none();
    return is_replaced ? otherwise : next;
  };
  const Text* text = path.text();
  if (!text) return path.is_none() ? subject : step(subject, path);
  Value value = subject;
  std::string_view rest = text->bytes();
  for (;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    const bool is_number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    std::int64_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    value = step(value, is_number ? Value(number) : Value::own(part));
    if (dot == std::string_view::npos) return value;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace cairn::text::jinja
