#pragma once
// The pre-tokenizer patterns that most models have (GPT-2's, Llama 3's, Qwen 2's), written out for
// ASCII: several times as fast there as a regular expression. Where another character has a say in
// a piece they leave it to the expression, so the two never differ on what Unicode is.

#include <cstddef>
#include <string_view>

namespace cairn::text {

/// The end of the piece that begins at `begin` (within `text`), or 0 where a character beyond ASCII
/// may belong to it. Each of these patterns matches at every place.
using AsciiScanner = std::size_t (*)(std::string_view text, std::size_t begin);

/// The scanner of an expression; null if there is none.
AsciiScanner find_ascii_scanner(std::string_view expression);

}  // namespace cairn::text
