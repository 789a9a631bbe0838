#pragma once
// The parts of Unicode's SpecialCasing and derived properties that utf8proc does not carry.

#include <string_view>

namespace cairn::text::jinja {

/// Uppercase and titlecase where they take several code points; empty elsewhere.
std::string_view special_upper(char32_t code_point);
std::string_view special_title(char32_t code_point);

/// Ideographs with a numeric value that are letters by category.
bool is_numeric_ideograph(char32_t code_point);
/// Lowercase without being a lowercase letter by category (Other_Lowercase).
bool is_other_lowercase(char32_t code_point);

}  // namespace cairn::text::jinja
