#pragma once
// Splits a template into tokens by Jinja2's rules with trim_blocks and lstrip_blocks on:
//
//   text{%- if x +%}    data, block_begin, name, name, block_end
//
// A "-" eats all whitespace on its side, a "+" keeps what the two options would drop: the newline
// behind a block or comment, and the blanks between a line's start and a block or comment.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/failure.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

enum class TokenKind : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  literal,  // string, integer or float; its value is in `value`
  symbol,   // operator or bracket
  end,
};

struct Token {
  TokenKind kind;
  Position position;
  std::string_view text;  // as in the source; of data: what whitespace control left
  Value value = {};

  bool is_name(std::string_view name) const { return kind == TokenKind::name && text == name; }
  bool is_symbol(std::string_view symbol) const {
    return kind == TokenKind::symbol && text == symbol;
  }
  /// For messages: 'name', end of template, ...
  std::string describe() const;
};

/// All newlines become "\n", and a last one is dropped.
std::string normalize_source(std::string_view source);

/// The tokens point into `source`, which must be normalized and outlive them; the last is `end`.
std::vector<Token> tokenize(std::string_view source);

}  // namespace cairn::text::jinja
