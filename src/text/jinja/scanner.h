#pragma once
// Reads what stands inside one tag: names, numbers, strings, operators.

#include <cstddef>
#include <string_view>

#include "text/jinja/lexer.h"

namespace cairn::text::jinja {

/// The end of the whitespace that starts at `offset`.
std::size_t skip_space(std::string_view source, std::size_t offset);
/// The offset behind the last character before `offset` that is no whitespace; not below `begin`.
std::size_t trim_space(std::string_view source, std::size_t begin, std::size_t offset);

/// The token at `offset`, which stands at `position`; `offset` is moved behind it.
Token scan_token(std::string_view source, std::size_t& offset, Position position);

}  // namespace cairn::text::jinja
