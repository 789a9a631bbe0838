#pragma once
// What builtins ask of their arguments, with Python's errors where it is something else.

#include <optional>
#include <string_view>

#include "text/jinja/builtin.h"

namespace cairn::text::jinja {

/// The argument as an integer (int or bool), or `otherwise` where it is not given or None.
std::int64_t integer_or(const Arguments& arguments, std::size_t index, std::int64_t otherwise);
/// The argument as text, or `otherwise` where it is not given or None.
Text text_or(const Arguments& arguments, std::size_t index, std::string_view otherwise);
/// The argument's truth, or `otherwise` where it is not given.
bool truth_or(const Arguments& arguments, std::size_t index, bool otherwise);
/// The argument as it is, or none where it is not given or None.
Value value_or_none(const Arguments& arguments, std::size_t index);

std::int64_t require_integer(const Value& value);
const Text& require_text(const Value& value);

/// int(text, base) and float(text); none where the text is no number. Refuses integers beyond 64
/// bits.
std::optional<std::int64_t> parse_integer(const Text& text, std::int64_t base);
std::optional<double> parse_real(const Text& text);
/// int(real); refuses what does not fit.
std::int64_t truncate(double real);

}  // namespace cairn::text::jinja
