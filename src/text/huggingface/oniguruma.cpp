#include "text/huggingface/oniguruma.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace cairn::text::huggingface {

namespace {

// Members of a class, without its brackets.
constexpr std::string_view kWord =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}\x{24B6}-\x{24E9})"
    R"(\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
constexpr std::string_view kSpace = R"(\p{Z}\t-\r\x{85})";
constexpr std::string_view kNoSpace = R"(\P{Xsp}\x{180E})";  // PCRE2 holds U+180E for a space
constexpr std::string_view kHexadecimal = "0-9A-Fa-f";

struct Property {
  std::string_view name;
  std::string_view members;
};

// Names that PCRE2 has not, or reads otherwise. Other long names are scripts.
constexpr std::array kProperties = {
    Property{"Letter", "L"},
    Property{"Mark", "M"},
    Property{"Number", "N"},
    Property{"Punctuation", "P"},
    Property{"Symbol", "S"},
    Property{"Separator", "Z"},
    Property{"Other", "C"},
    Property{"Any", "Any"},
    Property{"Digit", "Nd"},
    Property{"Alpha", "Alpha"},
    Property{"Alphabetic", "Alpha"},
    Property{"Upper", "Upper"},
    Property{"Uppercase", "Upper"},
    Property{"Lower", "Lower"},
    Property{"Lowercase", "Lower"},
    Property{"Uppercase_Letter", "Lu"},
    Property{"Lowercase_Letter", "Ll"},
    Property{"Decimal_Number", "Nd"},
    Property{"Emoji", "Emoji"},
    Property{"Emoji_Presentation", "Emoji_Presentation"},
    Property{"Extended_Pictographic", "Extended_Pictographic"},
    Property{"Ideographic", "Ideographic"},
};

class Translator {
 public:
  explicit Translator(std::string_view expression) : expression_(expression) {}

  std::string run() {
    while (!at_end()) {
      const char c = take();
      if (depth_ > 0)
        class_character(c);
      else
        plain_character(c);
    }
    if (depth_ > 0) refuse("a class without end");
    return std::move(result_);
  }

 private:
  bool at_end() const { return position_ == expression_.size(); }
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < expression_.size() ? expression_[position_ + ahead] : '\0';
  }
  char take() { return expression_[position_++]; }
  bool take_if(std::string_view next) {
    if (!expression_.substr(position_).starts_with(next)) return false;
    position_ += next.size();
    return true;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorKind::unsupported, "pattern '{}': {} at byte {} has no equal in PCRE2", expression_,
         what, position_);
  }

  void plain_character(char c) {
    switch (c) {
      case '\\':
        return escape(false);
      case '[':
        return open_class();
      case '(':
        return open_group();
      case '{':
        return interval();
      case '^':
        result_ += "(?m:^)";
        return;
      case '$':
        result_ += "(?m:$)";
        return;
      default:
        result_ += c;
    }
  }

  void open_class() {
    depth_ = 1;
    result_ += '[';
    if (take_if("^")) result_ += '^';
    if (take_if("]")) result_ += "\\]";
  }

  void class_character(char c) {
    if (c == '\\') return escape(true);
    if (c == '&' && peek() == '&') refuse("an intersection of classes");
    if (c == '[') {  // a set within a set adds its members
      if (peek() == ':') refuse("a POSIX class");
      if (peek() == '^') refuse("a negated class within a class");
      ++depth_;
    } else if (c == ']') {
      if (--depth_ == 0) result_ += ']';
    } else {
      result_ += c;
    }
  }

  void open_group() {
    result_ += '(';
    if (take_if("*")) refuse("a callout");
    if (!take_if("?")) return;
    result_ += '?';
    for (const std::string_view known : {":", "=", "!", ">", "#", "<=", "<!"}) {
      if (!take_if(known)) continue;
      result_ += known;
      return;
    }
    if (peek() == '<' || peek() == '\'') return;  // a name
    while (!at_end() && peek() != ':' && peek() != ')') {
      const char flag = take();
      if (flag == 'm')
        result_ += 's';  // "." matches line breaks
      else if (flag == 'i' || flag == 'x' || flag == '-')
        result_ += flag;
      else
        refuse("this group");
    }
  }

  void interval() {
    const std::size_t end = expression_.find('}', position_);
    const std::string_view inner = expression_.substr(
        position_, end == std::string_view::npos ? std::string_view::npos : end - position_);
    const bool counts = end != std::string_view::npos && !inner.empty() && inner != "," &&
                        inner.find_first_not_of("0123456789,") == std::string_view::npos;
    if (!counts) {
      result_ += "\\{";
      return;
    }
    position_ = end + 1;
    ((result_ += inner.front() == ',' ? "{0" : "{") += inner) += '}';
    if (peek() == '+') refuse("a repeated interval");
  }

  void members(std::string_view list, bool in_class) {
    if (!in_class) result_ += '[';
    result_ += list;
    if (!in_class) result_ += ']';
  }
  void none_of(std::string_view list, bool in_class) {
    if (in_class) refuse("the complement of a class within a class");
    ((result_ += "[^") += list) += ']';
  }

  void boundary(bool at) {
    constexpr std::string_view rising = "(?<![%])(?=[%])";
    constexpr std::string_view falling = "(?<=[%])(?![%])";
    constexpr std::string_view inside = "(?<=[%])(?=[%])";
    constexpr std::string_view outside = "(?<![%])(?![%])";
    result_ += "(?:";
    append_with_word(at ? rising : inside);
    result_ += '|';
    append_with_word(at ? falling : outside);
    result_ += ')';
  }
  void append_with_word(std::string_view form) {
    for (const char c : form) {
      if (c == '%')
        result_ += kWord;
      else
        result_ += c;
    }
  }

  void escape(bool in_class) {
    if (at_end()) refuse("a backslash at the end");
    const char c = take();
    switch (c) {
      case 'w':
        return members(kWord, in_class);
      case 'W':
        return none_of(kWord, in_class);
      case 's':
        return members(kSpace, in_class);
      case 'S':
        return members(kNoSpace, in_class);
      case 'h':
        return members(kHexadecimal, in_class);
      case 'H':
        return none_of(kHexadecimal, in_class);
      case 'v':
        result_ += R"(\x{0B})";
        return;
      case 'u':
        return code_unit();
      case 'p':
      case 'P':
        return property(c == 'P');
      case 'b':
      case 'B':
        if (in_class) {
          result_ += R"(\x{08})";
          return;
        }
        return boundary(c == 'b');
      default:
        return other_escape(c, in_class);
    }
  }

  void other_escape(char c, bool in_class) {
    constexpr std::string_view alike = "dDnrtfaexAzZRX0123456789";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter && alike.find(c) == std::string_view::npos)
      refuse(fmt::format("the escape \\{}", c));
    if (in_class && (c == 'A' || c == 'z' || c == 'Z' || c == 'R' || c == 'X'))
      refuse(fmt::format("the escape \\{} within a class", c));
    (result_ += '\\') += c;
  }

  void code_unit() {
    std::string digits;
    for (int i = 0; i < 4 && !at_end(); ++i) digits += take();
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
      refuse("an escape \\u without four digits");
    ((result_ += R"(\x{)") += digits) += '}';
  }

  void property(bool negated) {
    const std::size_t end = expression_.find('}', position_);
    if (!take_if("{") || end == std::string_view::npos) refuse("a property without a name");
    std::string_view name = expression_.substr(position_, end - position_);
    position_ = end + 1;
    if (name.starts_with('^')) {
      name.remove_prefix(1);
      negated = !negated;
    }
    result_ += negated ? R"(\P{)" : R"(\p{)";
    const auto* known = std::find_if(kProperties.begin(), kProperties.end(),
                                     [&](const Property& p) { return p.name == name; });
    if (known != kProperties.end())
      result_ += known->members;
    else if (name.size() <= 2)
      result_ += name;
    else
      (result_ += "sc:") += name;  // without it PCRE2 adds the script's extensions
    result_ += '}';
  }

  std::string_view expression_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;  // of classes
  std::string result_;
};

}  // namespace

std::string pcre2_of_oniguruma(std::string_view expression) {
  return Translator(expression).run();
}

}  // namespace cairn::text::huggingface
