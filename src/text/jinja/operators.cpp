#include "text/jinja/operators.h"

#include <cmath>

#include "text/jinja/access.h"
#include "text/jinja/limits.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

using ast::Operator;

constexpr std::size_t kMaxItems = 10'000'000;  // of a list made by + or *

std::string_view symbol_of(Operator op) {
  constexpr std::string_view symbols[] = {"+", "-", "*", "/", "//", "%", "** or pow()"};
  return symbols[static_cast<std::size_t>(op)];
}

[[noreturn]] void unsupported(Operator op, const Value& left, const Value& right) {
  if (op == Operator::add && (left.text() || left.is_list() || left.is_tuple())) {
    refuse("can only concatenate {0} (not \"{1}\") to {0}", left.type_name(), right.type_name());
  }
  refuse("unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op), left.type_name(),
         right.type_name());
}

[[noreturn]] void overflow() {
  refuse("the result does not fit into a 64-bit integer");
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) refuse("integer division or modulo by zero");
  if (b == -1) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &result)) overflow();
    return result;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) refuse("integer division or modulo by zero");
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) overflow();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow();
  }
  return result;
}

double modulo(double a, double b) {
  if (b == 0) refuse("float modulo");
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_divide(double a, double b) {
  if (b == 0) refuse("float floor division by zero");
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double power(double base, double exponent) {
  if (base == 0 && exponent < 0) refuse("0.0 cannot be raised to a negative power");
  if (base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    refuse("a negative number raised to a fraction is no real number");
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    refuse("the result is too large for a float");
  }
  return result;
}

Value apply_integers(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case Operator::add:
      if (__builtin_add_overflow(a, b, &result)) overflow();
      return result;
    case Operator::subtract:
      if (__builtin_sub_overflow(a, b, &result)) overflow();
      return result;
    case Operator::multiply:
      if (__builtin_mul_overflow(a, b, &result)) overflow();
      return result;
    case Operator::divide:
      if (b == 0) refuse("division by zero");
      return static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b));
    case Operator::floor_divide:
      return floor_divide(a, b);
    case Operator::modulo:
      return modulo(a, b);
    case Operator::power:
      break;
  }
  if (b >= 0) return power(a, b);
  return power(static_cast<double>(a), static_cast<double>(b));
}

Value apply_reals(Operator op, double a, double b) {
  switch (op) {
    case Operator::add:
      return a + b;
    case Operator::subtract:
      return a - b;
    case Operator::multiply:
      return a * b;
    case Operator::divide:
      if (b == 0) refuse("float division by zero");
      return a / b;
    case Operator::floor_divide:
      return floor_divide(a, b);
    case Operator::modulo:
      return modulo(a, b);
    case Operator::power:
      break;
  }
  return power(a, b);
}

Text concatenate(const Text& left, const Text& right) {
  const bool markup = left.is_markup() || right.is_markup();
  TextBuilder builder;
  for (const Text* part : {&left, &right}) {
    builder.append(markup && !part->is_markup() ? escape_html(*part) : *part);
  }
  return builder.finish(markup);
}

Value make_like(const Sequence& model, std::vector<Value> items) {
  return model.kind == Sequence::Kind::list ? Value::list(std::move(items))
                                            : Value::tuple(std::move(items));
}

Value concatenate(const Sequence& left, const Sequence& right) {
  if (left.items.size() + right.items.size() > kMaxItems) refuse("the list grows too long");
  std::vector<Value> items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return make_like(left, std::move(items));
}

Value repeat(const Value& value, std::int64_t times) {
  const std::size_t count = times < 0 ? 0 : static_cast<std::size_t>(times);
  if (const Text* text = value.text()) {
    TextBuilder builder;
    builder.append_repeated(*text, count);
    return builder.finish(text->is_markup());
  }
  const Sequence& sequence = *value.sequence();
  if (sequence.items.empty() || count == 0) return make_like(sequence, {});
  if (count > kMaxItems / sequence.items.size()) refuse("the list grows too long");
  std::vector<Value> items;
  items.reserve(count * sequence.items.size());
  for (std::size_t i = 0; i < count; ++i) {
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
  return make_like(sequence, std::move(items));
}

bool can_repeat(const Value& value) {
  return value.text() || value.sequence();
}

}  // namespace

Value apply(Operator op, const Value& left, const Value& right) {
  if (op == Operator::modulo && left.text()) return percent_format(*left.text(), right);
  require_defined(left);
  require_defined(right);
  if (left.integer() && right.integer()) {
    return apply_integers(op, *left.integer(), *right.integer());
  }
  if (left.is_number() && right.is_number()) return apply_reals(op, *left.real(), *right.real());
  if (op == Operator::add) {
    if (left.text() && right.text()) return concatenate(*left.text(), *right.text());
    if ((left.is_list() && right.is_list()) || (left.is_tuple() && right.is_tuple())) {
      return concatenate(*left.sequence(), *right.sequence());
    }
  }
  if (op == Operator::multiply) {
    if (can_repeat(left) && right.integer()) return repeat(left, *right.integer());
    if (can_repeat(right) && left.integer()) return repeat(right, *left.integer());
  }
  unsupported(op, left, right);
}

Value negate(const Value& value) {
  require_defined(value);
  if (const auto number = value.integer()) return apply_integers(Operator::subtract, 0, *number);
  if (const double* real = value.as<double>()) return -*real;
  refuse("bad operand type for unary -: '{}'", value.type_name());
}

Value plus(const Value& value) {
  require_defined(value);
  if (const auto number = value.integer()) return *number;
  if (value.as<double>()) return value;
  refuse("bad operand type for unary +: '{}'", value.type_name());
}

}  // namespace cairn::text::jinja
