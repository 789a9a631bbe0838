// The tests that stand behind `is`.
#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/compare.h"
#include "text/jinja/conversion.h"
#include "text/jinja/cursor.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

Value is_defined(Evaluator&, const Value& self, Arguments&) {
  return !self.is_undefined();
}
Value is_undefined(Evaluator&, const Value& self, Arguments&) {
  return self.is_undefined();
}
Value is_none(Evaluator&, const Value& self, Arguments&) {
  return self.is_none();
}
Value is_boolean(Evaluator&, const Value& self, Arguments&) {
  return self.is_bool();
}
Value is_string(Evaluator&, const Value& self, Arguments&) {
  return self.text() != nullptr;
}
Value is_mapping(Evaluator&, const Value& self, Arguments&) {
  return self.dict() != nullptr;
}
Value is_number(Evaluator&, const Value& self, Arguments&) {
  return self.is_number() || self.object_as<BigInteger>();
}
Value is_integer(Evaluator&, const Value& self, Arguments&) {
  return self.as<std::int64_t>() || self.object_as<BigInteger>();
}
Value is_float(Evaluator&, const Value& self, Arguments&) {
  return self.as<double>() != nullptr;
}
Value is_true(Evaluator&, const Value& self, Arguments&) {
  return self.is_bool() && truth(self);
}
Value is_false(Evaluator&, const Value& self, Arguments&) {
  return self.is_bool() && !truth(self);
}
Value is_iterable(Evaluator&, const Value& self, Arguments&) {
  return Cursor::can_iterate(self);
}
Value is_escaped(Evaluator&, const Value& self, Arguments&) {
  return self.text() && self.text()->is_markup();
}

/// Has a length and can be indexed, as Jinja2 asks.
Value is_sequence(Evaluator&, const Value& self, Arguments&) {
  return self.text() || self.sequence() || self.dict() || self.object_as<Range>() ||
         self.is_undefined();
}

Value is_callable(Evaluator&, const Value& self, Arguments&) {
  return self.is_undefined() || (self.object() && self.object()->is_callable());
}

Value is_filter(Evaluator&, const Value& self, Arguments&) {
  return self.text() && find_filter(self.text()->bytes());
}
Value is_test(Evaluator&, const Value& self, Arguments&) {
  return self.text() && find_test(self.text()->bytes());
}

bool is_cased(const Text& text, bool (*wanted)(char32_t), bool (*forbidden)(char32_t)) {
  bool any = false;
  for (std::size_t offset = 0; offset < text.size();) {
    const char32_t c = decode(text.bytes(), offset);
    if (forbidden(c) || is_title(c)) return false;
    any = any || wanted(c);
  }
  return any;
}

Value is_lower_text(Evaluator&, const Value& self, Arguments&) {
  return is_cased(to_text(self), is_lower, is_upper);
}
Value is_upper_text(Evaluator&, const Value& self, Arguments&) {
  return is_cased(to_text(self), is_upper, is_lower);
}

constexpr Builtin kKindTests[] = {
    {"defined", "", 0, is_defined},   {"undefined", "", 0, is_undefined},
    {"none", "", 0, is_none},         {"string", "", 0, is_string},
    {"mapping", "", 0, is_mapping},   {"iterable", "", 0, is_iterable},
    {"sequence", "", 0, is_sequence}, {"boolean", "", 0, is_boolean},
    {"true", "", 0, is_true},         {"false", "", 0, is_false},
    {"number", "", 0, is_number},     {"integer", "", 0, is_integer},
    {"float", "", 0, is_float},       {"callable", "", 0, is_callable},
    {"escaped", "", 0, is_escaped},   {"lower", "", 0, is_lower_text},
    {"upper", "", 0, is_upper_text},  {"filter", "", 0, is_filter},
    {"test", "", 0, is_test},
};

Value is_equal(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return equal(self, arguments[0], evaluator.budget());
}
Value is_not_equal(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return !equal(self, arguments[0], evaluator.budget());
}
Value is_less(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return less(self, arguments[0], evaluator.budget());
}
Value is_less_equal(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return less(self, arguments[0], evaluator.budget(), "<=") ||
         equal(self, arguments[0], evaluator.budget());
}
Value is_greater(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return less(arguments[0], self, evaluator.budget(), ">");
}
Value is_greater_equal(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return less(arguments[0], self, evaluator.budget(), ">=") ||
         equal(self, arguments[0], evaluator.budget());
}
Value is_in(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return contains(arguments[0], self, evaluator.budget());
}
Value is_same_as(Evaluator&, const Value& self, Arguments& arguments) {
  return self.same_as(arguments[0]);
}

bool has_remainder(Evaluator& evaluator, const Value& value, const Value& divisor,
                   std::int64_t remainder) {
  const Value rest = apply(ast::Operator::modulo, value, divisor);
  return equal(rest, remainder, evaluator.budget());
}
Value is_divisible_by(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return has_remainder(evaluator, self, arguments[0], 0);
}
Value is_even(Evaluator& evaluator, const Value& self, Arguments&) {
  return has_remainder(evaluator, self, std::int64_t{2}, 0);
}
Value is_odd(Evaluator& evaluator, const Value& self, Arguments&) {
  return has_remainder(evaluator, self, std::int64_t{2}, 1);
}

constexpr Builtin kComparisonTests[] = {
    {"eq", "_", 1, is_equal},           {"equalto", "_", 1, is_equal},
    {"==", "_", 1, is_equal},           {"ne", "_", 1, is_not_equal},
    {"!=", "_", 1, is_not_equal},       {"lt", "_", 1, is_less},
    {"lessthan", "_", 1, is_less},      {"<", "_", 1, is_less},
    {"le", "_", 1, is_less_equal},      {"<=", "_", 1, is_less_equal},
    {"gt", "_", 1, is_greater},         {"greaterthan", "_", 1, is_greater},
    {">", "_", 1, is_greater},          {"ge", "_", 1, is_greater_equal},
    {">=", "_", 1, is_greater_equal},   {"in", "seq", 1, is_in},
    {"sameas", "other", 1, is_same_as}, {"divisibleby", "num", 1, is_divisible_by},
    {"even", "", 0, is_even},           {"odd", "", 0, is_odd},
};

}  // namespace

BuiltinTable kind_tests() {
  return kKindTests;
}
BuiltinTable comparison_tests() {
  return kComparisonTests;
}

}  // namespace cairn::text::jinja
