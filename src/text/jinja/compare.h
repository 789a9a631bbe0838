#pragma once
// Python's comparisons: ==, <, in.

#include "text/jinja/limits.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

bool equal(const Value& a, const Value& b, Budget& budget);
/// a < b; refuses kinds that have no order, naming the operator.
bool less(const Value& a, const Value& b, Budget& budget, std::string_view symbol = "<");
/// `needle in haystack`.
bool contains(const Value& haystack, const Value& needle, Budget& budget);

enum class Order { less, equal, greater, unordered };  // unordered: a NaN is among them
/// Exact, also for an int beside a float; both are numbers.
Order compare_numbers(const Value& a, const Value& b);
/// The same with NaN below everything and equal to itself: -1, 0, 1.
int compare_numbers_totally(const Value& a, const Value& b);

}  // namespace cairn::text::jinja
