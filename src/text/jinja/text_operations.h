#pragma once
// Python's str methods on Text; all keep each character's origin.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/jinja/text.h"

namespace cairn::text::jinja {

enum class Side { left, right, both };

/// Strips whitespace, or the characters in `characters`.
Text strip(const Text& text, Side side, const std::optional<Text>& characters = {});
/// Negative: no bound on the number of replacements.
Text replace(const Text& text, const Text& old, const Text& replacement, std::int64_t count = -1);
/// At runs of whitespace, or at each `separator`.
std::vector<Text> split(const Text& text, const std::optional<Text>& separator,
                        std::int64_t max_splits = -1);
std::vector<Text> split_from_right(const Text& text, const std::optional<Text>& separator,
                                   std::int64_t max_splits = -1);
std::vector<Text> split_lines(const Text& text, bool keep_ends = false);

/// Maps each character by a function of unicode.h.
using AppendMapped = void (*)(std::string&, char32_t);
Text map_characters(const Text& text, AppendMapped append);
Text to_upper(const Text& text);
Text to_lower(const Text& text);
/// First character in title case, the rest in lower case.
Text capitalize(const Text& text);

/// Padded to `width` characters.
Text pad(const Text& text, std::size_t width, Side fill_side, const Text& fill);
Text center(const Text& text, std::size_t width, const Text& fill);

}  // namespace cairn::text::jinja
