#pragma once
// The filters that Jinja2 writes as generators: their result can be read once, and an error shows
// only when the reader gets to it.

#include "text/jinja/cursor.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/objects.h"

namespace cairn::text::jinja {

/// produce(items) appends to `items`.
template <class Produce>
Value make_iterator(Produce&& produce) {
  std::vector<Value> items;
  std::optional<Failure> failure;
  try {
    produce(items);
  } catch (const Failure& error) {
    failure = error;
  }
  return make_object<Iterator>(std::move(items), std::move(failure));
}

/// visit(item, items) for each item of `iterable`.
template <class Visit>
Value make_iterator_over(Evaluator& evaluator, const Value& iterable, Visit&& visit) {
  return make_iterator([&](std::vector<Value>& items) {
    Cursor cursor(iterable);
    for (Value item; cursor.next(item);) {
      evaluator.budget().charge(1);
      visit(item, items);
    }
  });
}

}  // namespace cairn::text::jinja
