// str methods that ask what a text consists of: isdigit, isupper and their kin.
#include "text/jinja/builtin.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

bool all(const Value& self, bool (*holds)(char32_t)) {
  const std::string_view bytes = self.text()->bytes();
  for (std::size_t offset = 0; offset < bytes.size();) {
    if (!holds(decode(bytes, offset))) return false;
  }
  return true;
}

bool not_empty_and_all(const Value& self, bool (*holds)(char32_t)) {
  return !self.text()->empty() && all(self, holds);
}

Value method_isalpha(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_alphabetic);
}
Value method_isdigit(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_digit);
}
Value method_isdecimal(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_decimal);
}
Value method_isnumeric(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_numeric);
}
Value method_isalnum(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_alphanumeric);
}
Value method_isspace(Evaluator&, const Value& self, Arguments&) {
  return not_empty_and_all(self, is_space);
}
Value method_isprintable(Evaluator&, const Value& self, Arguments&) {
  return all(self, is_printable);
}
Value method_isascii(Evaluator&, const Value& self, Arguments&) {
  return self.text()->is_ascii();
}

Value method_isidentifier(Evaluator&, const Value& self, Arguments&) {
  const std::string_view bytes = self.text()->bytes();
  std::size_t offset = 0;
  return !bytes.empty() && is_identifier_start(decode(bytes, offset)) &&
         all(self, is_identifier_part);
}

/// Some character is of the wanted case and none of the other.
bool is_of_case(const Value& self, bool (*wanted)(char32_t), bool (*other)(char32_t)) {
  const std::string_view bytes = self.text()->bytes();
  bool any = false;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const char32_t c = decode(bytes, offset);
    if (other(c) || is_title(c)) return false;
    any = any || wanted(c);
  }
  return any;
}

Value method_isupper(Evaluator&, const Value& self, Arguments&) {
  return is_of_case(self, is_upper, is_lower);
}
Value method_islower(Evaluator&, const Value& self, Arguments&) {
  return is_of_case(self, is_lower, is_upper);
}

Value method_istitle(Evaluator&, const Value& self, Arguments&) {
  const std::string_view bytes = self.text()->bytes();
  bool any = false;
  bool is_behind_cased = false;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const char32_t c = decode(bytes, offset);
    const bool starts = is_upper(c) || is_title(c);
    const bool continues = is_lower(c);
    if ((starts && is_behind_cased) || (continues && !is_behind_cased)) return false;
    is_behind_cased = starts || continues;
    any = any || is_behind_cased;
  }
  return any;
}

constexpr Builtin kMethods[] = {
    {"isalpha", "", 0, method_isalpha},     {"isdigit", "", 0, method_isdigit},
    {"isdecimal", "", 0, method_isdecimal}, {"isnumeric", "", 0, method_isnumeric},
    {"isalnum", "", 0, method_isalnum},     {"isspace", "", 0, method_isspace},
    {"isascii", "", 0, method_isascii},     {"isidentifier", "", 0, method_isidentifier},
    {"isupper", "", 0, method_isupper},     {"islower", "", 0, method_islower},
    {"istitle", "", 0, method_istitle},     {"isprintable", "", 0, method_isprintable},
};

}  // namespace

BuiltinTable text_question_methods() {
  return kMethods;
}

}  // namespace cairn::text::jinja
