#include "text/jinja/lexer.h"

#include <algorithm>
#include <optional>

#include "text/jinja/scanner.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (offset_ < source_.size()) data();
    add(TokenKind::end, {});
    return std::move(tokens_);
  }

 private:
  char at(std::size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }
  bool starts(std::size_t offset, std::string_view text) const {
    return source_.substr(offset).starts_with(text);
  }

  /// Where `offset` is; offsets must not go back.
  Position position_at(std::size_t offset) {
    for (; counted_ < offset; ++counted_) {
      if (source_[counted_] == '\n') {
        ++position_.line;
        position_.column = 1;
      } else if ((static_cast<unsigned char>(source_[counted_]) & 0xc0) != 0x80) {
        ++position_.column;
      }
    }
    return position_;
  }

  void add(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, position_at(offset_), text});
  }

  /// Moves behind what was read; the next data starts a line if this ended one.
  void move_to(std::size_t offset) {
    if (offset > offset_) is_line_start_ = source_[offset - 1] == '\n';
    offset_ = offset;
  }

  std::size_t find_tag(std::size_t from) const {
    for (; (from = source_.find('{', from)) != std::string_view::npos; ++from) {
      const char mark = at(from + 1);
      if (mark == '{' || mark == '%' || mark == '#') return from;
    }
    return source_.size();
  }

  /// Adds the data up to `tag`, whose opening mark is followed by `sign`.
  void add_data(std::size_t tag, char sign, bool is_variable) {
    std::size_t end = tag;
    if (sign == '-') {
      end = trim_space(source_, offset_, tag);
    } else if (sign != '+' && !is_variable) {
      end = without_indent(tag);
    }
    if (end > offset_) add(TokenKind::data, source_.substr(offset_, end - offset_));
  }

  /// Leaves out the blanks before `tag` where nothing else stands before them on the line.
  std::size_t without_indent(std::size_t tag) const {
    const std::string_view text = source_.substr(offset_, tag - offset_);
    const std::size_t newline = text.rfind('\n');
    if (newline == std::string_view::npos && !is_line_start_) return tag;
    const std::size_t line = newline == std::string_view::npos ? offset_ : offset_ + newline + 1;
    return trim_space(source_, line, tag) == line ? line : tag;
  }

  void data() {
    const std::size_t tag = find_tag(offset_);
    if (tag == source_.size()) {
      add_data(tag, '+', false);
      return move_to(tag);
    }
    const char mark = at(tag + 1);
    const char sign = at(tag + 2) == '-' || at(tag + 2) == '+' ? at(tag + 2) : '\0';
    const std::size_t inner = tag + (sign != '\0' ? 3 : 2);
    add_data(tag, sign, mark == '{');
    move_to(tag);
    if (mark == '#') return comment(inner);
    if (mark == '%') {
      if (const auto behind = behind_raw_tag(inner)) return raw(*behind);
    }
    add(mark == '%' ? TokenKind::block_begin : TokenKind::variable_begin,
        source_.substr(tag, inner - tag));
    move_to(inner);
    code(mark == '%');
  }

  void comment(std::size_t inner) {
    const std::size_t end = source_.find("#}", inner);
    if (end == std::string_view::npos) {
      refuse_at(position_at(offset_), "the comment is not closed by #}}");
    }
    const char sign = end > inner ? source_[end - 1] : '\0';
    move_to(behind_tag(end + 2, sign));
  }

  /// Where the text goes on behind a block or comment that ended at `offset`.
  std::size_t behind_tag(std::size_t offset, char sign) const {
    if (sign == '-') return skip_space(source_, offset);
    return sign != '+' && at(offset) == '\n' ? offset + 1 : offset;
  }

  /// Behind `{% raw %}` where that stands here.
  std::optional<std::size_t> behind_raw_tag(std::size_t inner) const {
    std::size_t offset = skip_space(source_, inner);
    if (!starts(offset, "raw")) return std::nullopt;
    offset = skip_space(source_, offset + 3);
    if (starts(offset, "-%}")) return skip_space(source_, offset + 3);
    if (starts(offset, "%}")) return offset + 2;
    return std::nullopt;
  }

  void raw(std::size_t begin) {
    const Position opened = position_at(offset_);
    move_to(begin);
    for (std::size_t tag = begin; (tag = source_.find("{%", tag)) != std::string_view::npos;
         ++tag) {
      const char sign = at(tag + 2) == '-' || at(tag + 2) == '+' ? at(tag + 2) : '\0';
      std::size_t end = skip_space(source_, tag + (sign != '\0' ? 3 : 2));
      if (!starts(end, "endraw")) continue;
      end = skip_space(source_, end + 6);
      const char end_sign = at(end) == '-' || at(end) == '+' ? at(end) : '\0';
      if (end_sign != '\0') ++end;
      if (!starts(end, "%}")) continue;
      add_data(tag, sign, false);
      return move_to(behind_tag(end + 2, end_sign));
    }
    refuse_at(opened, "the raw block is not closed by endraw");
  }

  /// The inside of a tag and its end.
  void code(bool is_block) {
    const Position opened = tokens_.back().position;
    std::string open_brackets;
    for (;;) {
      move_to(skip_space(source_, offset_));
      if (offset_ >= source_.size()) {
        refuse_at(opened, "the tag is not closed by {}", is_block ? "%}" : "}}");
      }
      if (open_brackets.empty() && (is_block ? end_block() : end_variable())) return;
      std::size_t next = offset_;
      Token token = scan_token(source_, next, position_at(offset_));
      if (token.kind == TokenKind::symbol) balance(token, open_brackets);
      tokens_.push_back(std::move(token));
      move_to(next);
    }
  }

  bool end_block() {
    const char sign = at(offset_) == '-' || at(offset_) == '+' ? at(offset_) : '\0';
    const std::size_t mark = offset_ + (sign != '\0' ? 1 : 0);
    if (!starts(mark, "%}")) return false;
    add(TokenKind::block_end, source_.substr(offset_, mark + 2 - offset_));
    move_to(behind_tag(mark + 2, sign));
    return true;
  }

  bool end_variable() {
    const bool strips = starts(offset_, "-}}");
    if (!strips && !starts(offset_, "}}")) return false;
    add(TokenKind::variable_end, source_.substr(offset_, strips ? 3 : 2));
    move_to(strips ? skip_space(source_, offset_ + 3) : offset_ + 2);
    return true;
  }

  void balance(const Token& token, std::string& open_brackets) const {
    constexpr std::string_view opening = "([{";
    constexpr std::string_view closing = ")]}";
    const char bracket = token.text[0];
    if (const std::size_t kind = opening.find(bracket); kind != std::string_view::npos) {
      open_brackets.push_back(closing[kind]);
    } else if (closing.find(bracket) != std::string_view::npos) {
      if (open_brackets.empty()) refuse_at(token.position, "unexpected '{}'", bracket);
      if (open_brackets.back() != bracket) {
        refuse_at(token.position, "unexpected '{}', expected '{}'", bracket, open_brackets.back());
      }
      open_brackets.pop_back();
    }
  }

  std::string_view source_;
  std::size_t offset_ = 0;
  std::size_t counted_ = 0;
  Position position_;
  bool is_line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::string Token::describe() const {
  switch (kind) {
    case TokenKind::end:
      return "the end of the template";
    case TokenKind::data:
      return "text";
    default:
      return fmt::format("'{}'", text);
  }
}

std::string normalize_source(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      result.push_back('\n');
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      result.push_back(source[i]);
    }
  }
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace cairn::text::jinja
