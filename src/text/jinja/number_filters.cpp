#include <cmath>

#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/limits.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

Value filter_abs(Evaluator&, const Value& self, Arguments&) {
  require_defined(self);
  if (const auto integer = self.integer()) return *integer < 0 ? negate(*integer) : *integer;
  if (const double* real = self.as<double>()) return std::abs(*real);
  refuse("bad operand type for abs(): '{}'", self.type_name());
}

Value filter_int(Evaluator&, const Value& self, Arguments& arguments) {
  require_defined(self);
  const Value otherwise = arguments.has(0) ? arguments[0] : Value(std::int64_t{0});
  if (const auto integer = self.integer()) return *integer;
  if (const double* real = self.as<double>()) {
    return std::isnan(*real) ? otherwise : Value(truncate(*real));
  }
  if (!self.text()) return otherwise;
  if (const auto integer = parse_integer(*self.text(), integer_or(arguments, 1, 10))) {
    return *integer;
  }
  const auto real = parse_real(*self.text());
  return real && std::isfinite(*real) ? Value(truncate(*real)) : otherwise;
}

Value filter_float(Evaluator&, const Value& self, Arguments& arguments) {
  require_defined(self);
  if (const auto real = self.real()) return *real;
  if (self.text()) {
    if (const auto real = parse_real(*self.text())) return *real;
  }
  return arguments.has(0) ? arguments[0] : Value(0.0);
}

double round_real(double value, std::int64_t precision) {
  if (!std::isfinite(value) || precision > 323) return value;
  if (precision < -308) return std::copysign(0.0, value);
  if (precision < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-precision));
    return std::nearbyint(value / unit) * unit;
  }
  // The digits that printf cuts are rounded exactly, half to even, as Python's round does.
  const std::string digits = fmt::format("{:.{}f}", value, precision);
  return parse_real(Text::own(digits)).value_or(value);
}

std::int64_t round_integer(std::int64_t value, std::int64_t precision) {
  if (precision >= 0) return value;
  if (precision < -18) return 0;
  std::int64_t unit = 1;
  for (; precision < 0; ++precision) unit *= 10;
  const std::int64_t rest = ((value % unit) + unit) % unit;
  const std::int64_t below = value - rest;
  const bool rounds_up = rest > unit - rest || (rest == unit - rest && (below / unit) % 2 != 0);
  return *apply(ast::Operator::add, below, rounds_up ? unit : std::int64_t{0}).integer();
}

Value filter_round(Evaluator&, const Value& self, Arguments& arguments) {
  require_defined(self);
  const std::int64_t precision = integer_or(arguments, 0, 0);
  const Text method = text_or(arguments, 1, "common");
  if (!self.is_number()) refuse("type {} doesn't define __round__ method", self.type_name());
  if (method.bytes() == "common") {
    if (const auto integer = self.integer()) return round_integer(*integer, precision);
    return round_real(*self.real(), precision);
  }
  if (method.bytes() != "ceil" && method.bytes() != "floor") {
    refuse("method must be common, ceil or floor");
  }
  if (precision > 308 || precision < -308) refuse("the precision {} is out of range", precision);
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = *self.real() * unit;
  if (!std::isfinite(scaled)) refuse("cannot convert float infinity to integer");
  return (method.bytes() == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit;
}

Value filter_filesizeformat(Evaluator&, const Value& self, Arguments& arguments) {
  require_defined(self);
  const auto real = self.text() ? parse_real(*self.text()) : self.real();
  if (!real) refuse("could not convert {} to a number of bytes", repr(self).bytes());
  const bool is_binary = truth_or(arguments, 0, false);
  const double base = is_binary ? 1024 : 1000;
  if (*real == 1) return Value::own("1 Byte");
  if (*real < base) return Value::own(fmt::format("{} Bytes", truncate(*real)));
  constexpr std::string_view prefixes = "kMGTPEZY";
  double unit = base;
  for (std::size_t i = 0;; ++i) {
    unit *= base;
    if (*real >= unit && i + 1 < prefixes.size()) continue;
    const char prefix = is_binary && i == 0 ? 'K' : prefixes[i];
    return Value::own(
        fmt::format("{:.1f} {}{}B", base * *real / unit, prefix, is_binary ? "i" : ""));
  }
}

constexpr Builtin kFilters[] = {
    {"abs", "", 0, filter_abs},
    {"int", "default base", 0, filter_int},
    {"float", "default", 0, filter_float},
    {"round", "precision method", 0, filter_round},
    {"filesizeformat", "binary", 0, filter_filesizeformat},
};

Value method_is_integer(Evaluator&, const Value& self, Arguments&) {
  const double* real = self.as<double>();
  if (!real) refuse("'int' object has no attribute 'is_integer'");
  return std::isfinite(*real) && *real == std::floor(*real);
}

Value method_bit_length(Evaluator&, const Value& self, Arguments&) {
  const auto integer = self.integer();
  if (!integer) refuse("'float' object has no attribute 'bit_length'");
  const auto bits = static_cast<std::uint64_t>(*integer);
  return Value::size(static_cast<std::size_t>(std::bit_width(*integer < 0 ? 0 - bits : bits)));
}

constexpr Builtin kMethods[] = {
    {"is_integer", "", 0, method_is_integer},
    {"bit_length", "", 0, method_bit_length},
};

}  // namespace

BuiltinTable number_filters() {
  return kFilters;
}
BuiltinTable number_methods() {
  return kMethods;
}

}  // namespace cairn::text::jinja
