#pragma once
// Python's str() and repr() of any value.

#include "text/jinja/value.h"

namespace cairn::text::jinja {

/// str(value): what a template prints.
Text to_text(const Value& value);
/// repr(value): how it looks inside a printed list.
Text repr(const Value& value);
void append_repr(TextBuilder& builder, const Value& value);

/// Python's repr of a float: the shortest digits that read back as the same number.
std::string repr_float(double value);

}  // namespace cairn::text::jinja
