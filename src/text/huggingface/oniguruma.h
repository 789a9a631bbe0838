#pragma once
// Regular expressions of a tokenizer.json are written for Oniguruma; cairn runs PCRE2. Pure.

#include <string>
#include <string_view>

namespace cairn::text::huggingface {

/// The PCRE2 expression that matches what `expression` matches in Oniguruma: classes spelled out
/// where the two differ, nested sets opened, "^" and "$" at every line. Throws unsupported, naming
/// the construct, for what has no equal.
std::string pcre2_of_oniguruma(std::string_view expression);

}  // namespace cairn::text::huggingface
