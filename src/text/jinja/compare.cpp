#include "text/jinja/compare.h"

#include <algorithm>
#include <cmath>

#include "text/jinja/cursor.h"
#include "text/jinja/dict.h"
#include "text/jinja/objects.h"

namespace cairn::text::jinja {
namespace {

template <class T>
Order order_of(T a, T b) {
  if (a < b) return Order::less;
  return a > b ? Order::greater : a == b ? Order::equal : Order::unordered;
}

Order order_of(std::int64_t a, double b) {
  if (std::isnan(b)) return Order::unordered;
  if (b >= 0x1p63) return Order::less;
  if (b < -0x1p63) return Order::greater;
  const double whole = std::floor(b);
  const Order order = order_of(a, static_cast<std::int64_t>(whole));
  return order == Order::equal && whole != b ? Order::less : order;
}

Order flip(Order order) {
  if (order == Order::less) return Order::greater;
  return order == Order::greater ? Order::less : order;
}

bool equal_sequences(const Sequence& a, const Sequence& b, Budget& budget) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                    [&](const Value& x, const Value& y) { return equal(x, y, budget); });
}

bool equal_dicts(const Dict& a, const Dict& b, Budget& budget) {
  if (a.entries().size() != b.entries().size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(entry.key);
    return other && equal(entry.value, *other, budget);
  });
}

bool less_sequences(const Sequence& a, const Sequence& b, Budget& budget, std::string_view symbol) {
  const std::size_t count = std::min(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!equal(a.items[i], b.items[i], budget)) {
      return less(a.items[i], b.items[i], budget, symbol);
    }
  }
  return a.items.size() < b.items.size();
}

}  // namespace

Order compare_numbers(const Value& a, const Value& b) {
  const auto x = a.integer();
  const auto y = b.integer();
  if (x && y) return order_of(*x, *y);
  if (x) return order_of(*x, *b.as<double>());
  if (y) return flip(order_of(*y, *a.as<double>()));
  return order_of(*a.as<double>(), *b.as<double>());
}

int compare_numbers_totally(const Value& a, const Value& b) {
  switch (compare_numbers(a, b)) {
    case Order::less:
      return -1;
    case Order::equal:
      return 0;
    case Order::greater:
      return 1;
    case Order::unordered:
      break;
  }
  const bool a_nan = std::isnan(a.real().value_or(0));
  const bool b_nan = std::isnan(b.real().value_or(0));
  return a_nan && b_nan ? 0 : a_nan ? -1 : 1;
}

bool equal(const Value& a, const Value& b, Budget& budget) {
  budget.charge(1);
  if (a.is_undefined()) return b.is_undefined();
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == Order::equal;
  if (a.text() && b.text()) {
    budget.charge_bytes(std::min(a.text()->size(), b.text()->size()));
    return *a.text() == *b.text();
  }
  if (a.same_as(b)) return true;
  if (a.sequence() && b.sequence()) return equal_sequences(*a.sequence(), *b.sequence(), budget);
  if (a.dict() && b.dict()) return equal_dicts(*a.dict(), *b.dict(), budget);
  const auto* number = a.object_as<BigInteger>();
  if (number && b.object_as<BigInteger>()) {
    return number->digits() == b.object_as<BigInteger>()->digits();
  }
  const auto* range = a.object_as<Range>();
  if (range && b.object_as<Range>()) return range->equals(*b.object_as<Range>());
  return false;
}

bool less(const Value& a, const Value& b, Budget& budget, std::string_view symbol) {
  budget.charge(1);
  for (const Value* value : {&a, &b}) {
    if (value->is_undefined()) refuse("{}", value->undefined_message());
  }
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == Order::less;
  if (a.text() && b.text()) {
    budget.charge_bytes(std::min(a.text()->size(), b.text()->size()));
    return *a.text() < *b.text();
  }
  if (a.sequence() && b.sequence() && a.sequence()->kind == b.sequence()->kind) {
    return less_sequences(*a.sequence(), *b.sequence(), budget, symbol);
  }
  refuse("'{}' not supported between instances of '{}' and '{}'", symbol, a.type_name(),
         b.type_name());
}

bool contains(const Value& haystack, const Value& needle, Budget& budget) {
  if (const Text* text = haystack.text()) {
    if (!needle.text()) {
      refuse("'in <string>' requires string as left operand, not {}", needle.type_name());
    }
    budget.charge_bytes(text->size());
    return text->bytes().find(needle.text()->bytes()) != std::string_view::npos;
  }
  if (const Dict* dict = haystack.dict()) {
    if (needle.is_list() || needle.dict()) refuse("unhashable type: '{}'", needle.type_name());
    return dict->find(needle) != nullptr;
  }
  if (haystack.object() && !Cursor::can_iterate(haystack)) {
    refuse("argument of type '{}' is not iterable", haystack.type_name());
  }
  Cursor cursor(haystack);
  for (Value item; cursor.next(item);) {
    if (equal(item, needle, budget)) return true;
  }
  return false;
}

}  // namespace cairn::text::jinja
