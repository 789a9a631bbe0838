#pragma once
// Python's arithmetic on values. Integers have 64 bits; a result beyond is refused.

#include "text/jinja/ast.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

Value apply(ast::Operator op, const Value& left, const Value& right);
Value negate(const Value& value);
Value plus(const Value& value);

/// `left % right` where left is text (percent_format.cpp).
Text percent_format(const Text& format, const Value& arguments);
/// Escaped as HTML, and marked as such (markup_filters.cpp).
Text escape_html(const Text& text);

}  // namespace cairn::text::jinja
