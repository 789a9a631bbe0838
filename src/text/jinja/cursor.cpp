#include "text/jinja/cursor.h"

#include "text/jinja/dict.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {

Cursor::Cursor(Value iterable) : iterable_(std::move(iterable)) {
  if (!can_iterate(iterable_)) refuse("'{}' object is not iterable", iterable_.type_name());
}

bool Cursor::can_iterate(const Value& value) {
  if (value.is_undefined() || value.text() || value.sequence() || value.dict()) return true;
  const Object* object = value.object();
  return object && (value.object_as<Iterator>() || object->length());
}

bool Cursor::next(Value& item) {
  if (const Sequence* sequence = iterable_.sequence()) {
    if (position_ >= sequence->items.size()) return false;
    item = sequence->items[position_++];
    return true;
  }
  if (const Dict* dict = iterable_.dict()) {
    if (position_ >= dict->entries().size()) return false;
    item = dict->entries()[position_++].key;
    return true;
  }
  if (const Text* text = iterable_.text()) {
    if (position_ >= text->size()) return false;
    const std::size_t begin = position_;
    decode(text->bytes(), position_);
    item = text->sub(begin, position_ - begin).with_markup(false);
    return true;
  }
  if (auto* iterator = iterable_.object_as<Iterator>()) return iterator->next(item);
  if (!iterable_.object() || position_ >= iterable_.object()->length().value_or(0)) return false;
  item = iterable_.object()->item(position_++).value_or(Value(None{}));
  return true;
}

std::optional<std::size_t> Cursor::length() const {
  return length_of(iterable_);
}

std::optional<std::size_t> length_of(const Value& value) {
  if (value.is_undefined()) return 0;
  if (const Sequence* sequence = value.sequence()) return sequence->items.size();
  if (const Dict* dict = value.dict()) return dict->entries().size();
  if (const Text* text = value.text()) return text->length();
  return value.object() ? value.object()->length() : std::nullopt;
}

}  // namespace cairn::text::jinja
