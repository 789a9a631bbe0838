#pragma once
// Python's two ways to format: '%s' % value and '{}'.format(value).

#include <string_view>

#include "text/jinja/builtin.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

/// text.format(*positional, **keywords)
Text brace_format(const Text& format, const Arguments& arguments);

/// format(value, spec), spec being [[fill]align][sign][#][0][width][grouping][.precision][type].
Text format_value(const Value& value, std::string_view spec);

/// A float in the style of one of e E f F g G %, without sign.
std::string format_real(double magnitude, char type, std::size_t precision, bool is_alternate);
/// The digits of an integer in base 2, 8, 10 or 16, without sign.
std::string format_digits(std::uint64_t magnitude, char type);
std::uint64_t magnitude_of(std::int64_t value);

inline constexpr std::size_t kMaxFormatWidth = 1 << 20;
inline constexpr std::size_t kMaxFormatPrecision = 4096;

}  // namespace cairn::text::jinja
