#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/lazy.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

Value filter_length(Evaluator&, const Value& self, Arguments&) {
  const auto length = length_of(self);
  if (!length) refuse("object of type '{}' has no len()", self.type_name());
  return Value::size(*length);
}

Value filter_first(Evaluator&, const Value& self, Arguments&) {
  Cursor cursor(self);
  Value item;
  if (cursor.next(item)) return item;
  return Value::undefined("No first item, sequence was empty.");
}

/// Whether reversed() takes it.
bool is_reversible(const Value& value) {
  return value.is_undefined() || value.text() || value.sequence() || value.dict() ||
         (value.object() && value.object()->length());
}

Value filter_last(Evaluator& evaluator, const Value& self, Arguments&) {
  if (!is_reversible(self)) refuse("'{}' object is not reversible", self.type_name());
  if (self.sequence() || self.text()) {
    const auto length = static_cast<std::int64_t>(*length_of(self));
    if (length > 0) return item_of(self, length - 1);
  } else if (std::vector<Value> items = evaluator.items(self); !items.empty()) {
    return items.back();
  }
  return Value::undefined("No last item, sequence was empty.");
}

Value filter_join(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Text separator = arguments.has(0) ? to_text(arguments[0]) : Text();
  const Value attribute = value_or_none(arguments, 1);
  TextBuilder builder;
  bool is_first = true;
  Cursor cursor(self);
  for (Value item; cursor.next(item); is_first = false) {
    evaluator.budget().charge(1);
    if (!is_first) builder.append(separator);
    builder.append(to_text(attribute.is_none() ? item : attribute_path(item, attribute)));
  }
  return builder.finish();
}

Value filter_list(Evaluator& evaluator, const Value& self, Arguments&) {
  return Value::list(evaluator.items(self));
}

Value filter_items(Evaluator& evaluator, const Value& self, Arguments&) {
  return make_iterator([&](std::vector<Value>& items) {
    if (self.is_undefined()) return;
    if (!self.dict()) refuse("Can only get item pairs from a mapping.");
    items = evaluator.items(make_object<View>(View::Kind::items, self));
  });
}

Value filter_reverse(Evaluator& evaluator, const Value& self, Arguments&) {
  if (self.text()) return slice_of(self, {}, {}, std::int64_t{-1});
  if (!Cursor::can_iterate(self)) refuse("argument must be iterable");
  std::vector<Value> items = evaluator.items(self);
  std::reverse(items.begin(), items.end());
  if (!is_reversible(self)) return Value::list(std::move(items));
  return make_object<Iterator>(std::move(items), std::nullopt,
                               self.is_list() ? "list_reverseiterator" : "reversed");
}

Value filter_batch(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const std::int64_t size = require_integer(arguments[0]);
  const Value fill = value_or_none(arguments, 1);
  return make_iterator([&](std::vector<Value>& batches) {
    std::vector<Value> batch;
    for (Value& item : evaluator.items(self)) {
      if (static_cast<std::int64_t>(batch.size()) == size) {
        batches.push_back(Value::list(std::move(batch)));
        batch.clear();
      }
      batch.push_back(std::move(item));
    }
    if (batch.empty()) return;
    if (!fill.is_none() && static_cast<std::int64_t>(batch.size()) < size) {
      evaluator.budget().charge(static_cast<std::uint64_t>(size));
      batch.resize(static_cast<std::size_t>(size), fill);
    }
    batches.push_back(Value::list(std::move(batch)));
  });
}

Value filter_slice(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const std::int64_t count = require_integer(arguments[0]);
  const Value fill = value_or_none(arguments, 1);
  return make_iterator([&](std::vector<Value>& slices) {
    const std::vector<Value> items = evaluator.items(self);
    if (count == 0) refuse("integer division or modulo by zero");
    if (count < 0) return;
    evaluator.budget().charge(static_cast<std::uint64_t>(count));
    const auto slice_count = static_cast<std::size_t>(count);
    const std::size_t size = items.size() / slice_count;
    const std::size_t longer_count = items.size() % slice_count;
    auto begin = items.begin();
    for (std::size_t i = 0; i < slice_count; ++i) {
      const auto end = begin + static_cast<std::ptrdiff_t>(size + (i < longer_count ? 1 : 0));
      std::vector<Value> slice(begin, end);
      if (!fill.is_none() && i >= longer_count) slice.push_back(fill);
      slices.push_back(Value::list(std::move(slice)));
      begin = end;
    }
  });
}

Value filter_sum(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Value attribute = value_or_none(arguments, 0);
  Value total = arguments.has(1) ? arguments[1] : Value(std::int64_t{0});
  if (total.text()) refuse("sum() can't sum strings");
  for (const Value& item : evaluator.items(self)) {
    total = apply(ast::Operator::add, total,
                  attribute.is_none() ? item : attribute_path(item, attribute));
    if (total.sequence()) evaluator.budget().charge(total.sequence()->items.size());
  }
  return total;
}

constexpr Builtin kFilters[] = {
    {"length", "", 0, filter_length},
    {"count", "", 0, filter_length},
    {"first", "", 0, filter_first},
    {"last", "", 0, filter_last},
    {"join", "d attribute", 0, filter_join},
    {"list", "", 0, filter_list},
    {"items", "", 0, filter_items},
    {"reverse", "", 0, filter_reverse},
    {"batch", "linecount fill_with", 1, filter_batch},
    {"slice", "slices fill_with", 1, filter_slice},
    {"sum", "attribute start", 0, filter_sum},
};

}  // namespace

BuiltinTable sequence_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
