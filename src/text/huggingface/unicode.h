#pragma once
// Classes of characters as the `tokenizers` library sees them: of today's Unicode for white space,
// numbers, words and case, of Unicode 8 for punctuation, controls and BERT's accents, of Unicode 9
// for normalization and combining marks. Pure functions.

#include <cstddef>
#include <string_view>

namespace cairn::text::huggingface {

bool is_white_space(char32_t c);      // White_Space
bool is_numeric(char32_t c);          // N*
bool is_word(char32_t c);             // a regular expression's \w
bool is_punctuation(char32_t c);      // P*, and all of ASCII's symbols
bool is_control(char32_t c);          // Cc, Cf, Co, but no tab and line break
bool is_nonspacing_mark(char32_t c);  // Mn
bool is_combining_mark(char32_t c);   // M*
bool is_chinese(char32_t c);          // BERT's notion: the ideographs
bool is_newer_than_unicode9(char32_t c);
char32_t to_lower(char32_t c);  // but U+0130, which becomes two characters

/// In bytes.
std::size_t leading_white_space(std::string_view text);
std::size_t trailing_white_space(std::string_view text);
/// Where the last character of `text` (valid UTF-8, not empty) begins.
std::size_t last_character(std::string_view text);
std::size_t character_count(std::string_view text);
bool is_ascii(std::string_view text);

}  // namespace cairn::text::huggingface
