#pragma once
// Code points of UTF-8 text and the questions that Python's str answers about them. Text inside the
// engine is always valid UTF-8: sources and contexts are checked when they enter.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::text::jinja {

bool is_valid_utf8(std::string_view bytes);
bool is_ascii(std::string_view bytes);
std::size_t count_code_points(std::string_view bytes);

/// Decodes the code point at `offset` of valid UTF-8 and moves `offset` behind it.
char32_t decode(std::string_view bytes, std::size_t& offset);
/// The offset where the code point that ends before `offset` starts; `offset` must not be 0.
std::size_t previous_offset(std::string_view bytes, std::size_t offset);
void append_utf8(std::string& bytes, char32_t code_point);
/// False for surrogates and beyond U+10FFFF.
bool is_scalar_value(std::uint32_t code_point);

bool is_space(char32_t code_point);       // str.isspace
bool is_line_break(char32_t code_point);  // where str.splitlines cuts
bool is_printable(char32_t code_point);   // what repr() leaves as it is
bool is_alphabetic(char32_t code_point);  // str.isalpha
bool is_decimal(char32_t code_point);     // str.isdecimal
bool is_digit(char32_t code_point);       // str.isdigit
bool is_numeric(char32_t code_point);     // str.isnumeric
bool is_alphanumeric(char32_t code_point);
bool is_word(char32_t code_point);  // \w of regular expressions
bool is_upper(char32_t code_point);
bool is_lower(char32_t code_point);
bool is_title(char32_t code_point);
bool is_identifier_start(char32_t code_point);
bool is_identifier_part(char32_t code_point);

/// Full case mappings: one code point may become several ("ß" -> "SS").
void append_upper(std::string& bytes, char32_t code_point);
void append_lower(std::string& bytes, char32_t code_point);
void append_title(std::string& bytes, char32_t code_point);

}  // namespace cairn::text::jinja
