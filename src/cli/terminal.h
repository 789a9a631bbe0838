#pragma once
// What a stream may show: colours and bars only where a person looks, and not where NO_COLOR is
// set.

#include <cstdio>
#include <string>
#include <string_view>

namespace cairn::cli {

bool is_terminal(std::FILE* stream);

/// True on a terminal, unless NO_COLOR is set and not empty or TERM is "dumb".
bool shows_colors(std::FILE* stream);

/// Columns of the terminal behind `stream`; 80 where there is none.
int terminal_width(std::FILE* stream);

enum class Style { bold, dim, red, green, yellow, blue };

/// `text` in `style` if the stream shows colours, else `text` as it is.
std::string styled(std::FILE* stream, Style style, std::string_view text);

}  // namespace cairn::cli
