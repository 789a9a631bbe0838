#include "text/jinja/scanner.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

int digit_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/// One token's worth of source.
class Scan {
 public:
  Scan(std::string_view source, std::size_t offset, Position position)
      : source_(source), begin_(offset), end_(offset), position_(position) {}

  Token run() {
    const char first = source_[begin_];
    if (first == '"' || first == '\'') return string(first);
    if (is_ascii_digit(first)) return number();
    return static_cast<unsigned char>(first) >= 0x80 || is_word(static_cast<char32_t>(first))
               ? name()
               : symbol();
  }
  std::size_t end() const { return end_; }

 private:
  char at(std::size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }

  Token token(TokenKind kind, Value value = {}) const {
    return {kind, position_, source_.substr(begin_, end_ - begin_), std::move(value)};
  }

  Token name() {
    std::size_t next = begin_;
    bool is_first = true;
    while (next < source_.size()) {
      end_ = next;
      const char32_t c = decode(source_, next);
      if (!is_word(c) && !is_identifier_part(c)) break;
      if (is_first && !is_identifier_start(c)) break;
      is_first = false;
      end_ = next;
    }
    if (is_first) unexpected();
    return token(TokenKind::name);
  }

  Token symbol() {
    constexpr std::string_view pairs[] = {"//", "**", "==", "!=", ">=", "<="};
    constexpr std::string_view singles = "+-/*%~[](){}><=.:|,;";
    const std::string_view two = source_.substr(begin_, 2);
    if (std::find(std::begin(pairs), std::end(pairs), two) != std::end(pairs)) {
      end_ = begin_ + 2;
    } else if (singles.find(source_[begin_]) != std::string_view::npos) {
      end_ = begin_ + 1;
    } else {
      unexpected();
    }
    return token(TokenKind::symbol);
  }

  /// Behind digits with single underscores between them.
  std::size_t behind_digits(std::size_t offset) const {
    while (is_ascii_digit(at(offset)) || (at(offset) == '_' && is_ascii_digit(at(offset + 1)))) {
      ++offset;
    }
    return offset;
  }

  std::size_t behind_exponent(std::size_t offset) const {
    if ((at(offset) | 32) != 'e') return offset;
    const std::size_t digits = offset + (at(offset + 1) == '+' || at(offset + 1) == '-' ? 2 : 1);
    return is_ascii_digit(at(digits)) ? behind_digits(digits) : offset;
  }

  Token number() {
    const std::size_t whole = behind_digits(begin_);
    std::size_t end = whole;
    // Behind a dot it is an index: x.0.1
    if (begin_ == 0 || source_[begin_ - 1] != '.') {
      if (at(end) == '.' && is_ascii_digit(at(end + 1))) end = behind_digits(end + 1);
      end = behind_exponent(end);
    }
    if (end == whole) return integer(whole);
    end_ = end;
    std::string digits(source_.substr(begin_, end - begin_));
    std::erase(digits, '_');
    double value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc()) refuse_at(position_, "the number {} is out of range", digits);
    return token(TokenKind::literal, value);
  }

  int base() const {
    if (at(begin_) != '0') return 10;
    const char mark = static_cast<char>(at(begin_ + 1) | 32);
    const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    const std::size_t digit = begin_ + (at(begin_ + 2) == '_' ? 3 : 2);
    return digit_value(at(digit)) < base ? base : 10;
  }

  Token integer(std::size_t whole) {
    const int radix = base();
    std::string digits;
    end_ = begin_ + (radix == 10 ? 0 : 2);
    const auto accepts = [&](char c) {
      // A decimal that starts with 0 is nothing but zeros.
      return digit_value(c) < radix &&
             (radix != 10 || c == '0' || digits.empty() || digits[0] != '0');
    };
    while (accepts(at(end_)) || (at(end_) == '_' && accepts(at(end_ + 1)))) {
      if (at(end_) != '_') digits.push_back(at(end_));
      ++end_;
      if (radix == 10 && end_ >= whole) break;
    }
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, radix);
    if (result.ec != std::errc()) {
      refuse_at(position_, "the integer {} does not fit into 64 bits", digits);
    }
    return token(TokenKind::literal, value);
  }

  Token string(char quote) {
    end_ = begin_ + 1;
    while (at(end_) != quote) {
      end_ += at(end_) == '\\' ? 2 : 1;
      if (end_ >= source_.size()) refuse_at(position_, "the string is not closed by {}", quote);
    }
    const std::string_view inner = source_.substr(begin_ + 1, end_ - begin_ - 1);
    ++end_;
    return token(TokenKind::literal, Text::own(unescape(inner)));
  }

  std::string unescape(std::string_view inner) const {
    std::string result;
    for (std::size_t i = 0; i < inner.size();) {
      if (inner[i] != '\\') {
        result.push_back(inner[i++]);
      } else {
        i = unescape_one(inner, i + 1, result);
      }
    }
    return result;
  }

  /// Handles the escape whose letter stands at `i`; returns the offset behind it.
  std::size_t unescape_one(std::string_view inner, std::size_t i, std::string& result) const {
    constexpr std::string_view letters = "abfnrtv\\'\"";
    constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"";
    const char letter = inner[i];
    if (const std::size_t at = letters.find(letter); at != std::string_view::npos) {
      result.push_back(meanings[at]);
      return i + 1;
    }
    if (letter == '\n') return i + 1;
    if (letter >= '0' && letter <= '7') return number_escape(inner, i, 1, 3, 8, result);
    if (letter == 'x') return number_escape(inner, i + 1, 2, 2, 16, result);
    if (letter == 'u') return number_escape(inner, i + 1, 4, 4, 16, result);
    if (letter == 'U') return number_escape(inner, i + 1, 8, 8, 16, result);
    if (letter == 'N') refuse_at(position_, "named characters (\\N) are not supported in strings");
    result.push_back('\\');
    return i;
  }

  std::size_t number_escape(std::string_view inner, std::size_t i, std::size_t least,
                            std::size_t most, int radix, std::string& result) const {
    std::uint32_t value = 0;
    std::size_t count = 0;
    while (count < most && i < inner.size() && digit_value(inner[i]) < radix) {
      value = value * static_cast<std::uint32_t>(radix) +
              static_cast<std::uint32_t>(digit_value(inner[i]));
      ++count;
      ++i;
    }
    if (count < least) refuse_at(position_, "a character escape in the string is cut short");
    if (!is_scalar_value(value)) {
      refuse_at(position_, "the escape U+{:04X} in the string is no character", value);
    }
    append_utf8(result, value);
    return i;
  }

  [[noreturn]] void unexpected() const {
    std::size_t end = begin_;
    decode(source_, end);
    refuse_at(position_, "unexpected character '{}'", source_.substr(begin_, end - begin_));
  }

  std::string_view source_;
  std::size_t begin_;
  std::size_t end_;
  Position position_;
};

}  // namespace

std::size_t skip_space(std::string_view source, std::size_t offset) {
  while (offset < source.size()) {
    std::size_t next = offset;
    if (!is_space(decode(source, next))) break;
    offset = next;
  }
  return offset;
}

std::size_t trim_space(std::string_view source, std::size_t begin, std::size_t offset) {
  while (offset > begin) {
    const std::size_t previous = previous_offset(source, offset);
    std::size_t next = previous;
    if (!is_space(decode(source, next))) break;
    offset = previous;
  }
  return offset;
}

Token scan_token(std::string_view source, std::size_t& offset, Position position) {
  Scan scan(source, offset, position);
  Token token = scan.run();
  offset = scan.end();
  return token;
}

}  // namespace cairn::text::jinja
