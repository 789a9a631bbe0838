#include "text/jinja/value.h"

#include <algorithm>

#include "text/jinja/dict.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {
namespace {

std::shared_ptr<const Sequence> make_sequence(Sequence::Kind kind, std::vector<Value> items) {
  const std::size_t depth = depth_above(items);
  return std::make_shared<Sequence>(Sequence{kind, std::move(items), depth});
}

}  // namespace

Value Value::undefined(std::string message) {
  return undefined(std::make_shared<const std::string>(std::move(message)));
}

Value Value::list(std::vector<Value> items) {
  return make_sequence(Sequence::Kind::list, std::move(items));
}

Value Value::tuple(std::vector<Value> items) {
  return make_sequence(Sequence::Kind::tuple, std::move(items));
}

bool Value::is_unset() const {
  const auto* undefined = as<Undefined>();
  return undefined && !undefined->message;
}

bool Value::is_list() const {
  return sequence() && sequence()->kind == Sequence::Kind::list;
}

bool Value::is_tuple() const {
  return sequence() && sequence()->kind == Sequence::Kind::tuple;
}

const Sequence* Value::sequence() const {
  const auto* pointer = as<std::shared_ptr<const Sequence>>();
  return pointer ? pointer->get() : nullptr;
}

const Dict* Value::dict() const {
  const auto* pointer = as<std::shared_ptr<const Dict>>();
  return pointer ? pointer->get() : nullptr;
}

Object* Value::object() const {
  const auto* pointer = as<std::shared_ptr<Object>>();
  return pointer ? pointer->get() : nullptr;
}

std::optional<std::int64_t> Value::integer() const {
  if (const auto* value = as<std::int64_t>()) return *value;
  if (const auto* value = as<bool>()) return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Value::real() const {
  if (const auto* value = as<double>()) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  return std::nullopt;
}

const std::string& Value::undefined_message() const {
  static const std::string unset = "a variable is used before it is set";
  const auto* undefined = as<Undefined>();
  return undefined && undefined->message ? *undefined->message : unset;
}

bool Value::same_as(const Value& other) const {
  if (variant_.index() != other.variant_.index() || is_undefined()) return false;
  if (sequence()) return sequence() == other.sequence();
  if (dict()) return dict() == other.dict();
  if (object()) return object() == other.object();
  if (text()) return *text() == *other.text();
  if (const auto* value = as<double>()) return *value == *other.as<double>();
  return integer() == other.integer();
}

std::size_t Value::depth() const {
  if (const Sequence* items = sequence()) return items->depth;
  if (const Dict* entries = dict()) return entries->depth();
  if (const Object* held = object()) return held->depth();
  return 0;
}

std::string_view Value::type_name() const {
  constexpr std::string_view names[] = {"Undefined", "NoneType", "bool", "int", "float", "str"};
  if (variant_.index() < std::size(names)) return names[variant_.index()];
  if (sequence()) return is_list() ? "list" : "tuple";
  return dict() ? "dict" : object()->type_name();
}

Object::Object(std::size_t depth) : depth_(depth) {}

Value Object::call(Evaluator&, Arguments&) {
  refuse("'{}' object is not callable", type_name());
}

std::size_t depth_above(std::size_t depth) {
  if (depth >= kMaxValueDepth) refuse("values are nested deeper than {} levels", kMaxValueDepth);
  return depth + 1;
}

std::size_t depth_above(const std::vector<Value>& items) {
  std::size_t deepest = 0;
  for (const Value& item : items) deepest = std::max(deepest, item.depth());
  return depth_above(deepest);
}

bool truth(const Value& value) {
  if (value.is_undefined() || value.is_none()) return false;
  if (const auto number = value.real()) return *number != 0;
  if (const Text* text = value.text()) return !text->empty();
  if (const Sequence* sequence = value.sequence()) return !sequence->items.empty();
  if (const Dict* dict = value.dict()) return !dict->entries().empty();
  return value.object()->length().value_or(1) != 0;
}

}  // namespace cairn::text::jinja
