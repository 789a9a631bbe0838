#include "text/huggingface/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;
};

// What the tables of that day do not know, of the characters assigned up to Unicode 14 whose class
// matters: punctuation, marks and controls in the one, marks and decompositions in the other.
constexpr CodePointRange kNewerThanUnicode8[] = {
    {0x61D, 0x61D},     {0x7FD, 0x7FD},     {0x890, 0x8E2},     {0x9FD, 0x9FE},
    {0xA76, 0xA76},     {0xAFA, 0xAFF},     {0xB55, 0xB55},     {0xC04, 0xC3C},
    {0xC77, 0xC77},     {0xC84, 0xC84},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0x180F, 0x1886},   {0x1ABF, 0x1ACE},
    {0x1B7D, 0x1B7E},   {0x1DF6, 0x1DFB},   {0x2E43, 0x2E5D},   {0xA82C, 0xA82C},
    {0xA8C5, 0xA8C5},   {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10F89},
    {0x11070, 0x11074}, {0x110C2, 0x110CD}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF},
    {0x1123E, 0x1123E}, {0x1133B, 0x1133B}, {0x11438, 0x1145E}, {0x11660, 0x1166C},
    {0x116B9, 0x116B9}, {0x1182F, 0x11FFF}, {0x12FF1, 0x13438}, {0x16E97, 0x16F4F},
    {0x16FE2, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E2EF}, {0x1E944, 0x1E95F}};
constexpr CodePointRange kNewerThanUnicode9[] = {
    {0x7FD, 0x7FD},     {0x898, 0x8D3},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC3C},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x180F, 0x180F},
    {0x1ABF, 0x1ACE},   {0x1CF7, 0x1CF7},   {0x1DF6, 0x1DFA},   {0x32FF, 0x32FF},
    {0xA7F2, 0xA7F4},   {0xA82C, 0xA82C},   {0xA8FF, 0xA8FF},   {0xAB69, 0xAB69},
    {0x10781, 0x107BA}, {0x10D24, 0x10F85}, {0x11070, 0x11074}, {0x110C2, 0x110C2},
    {0x11145, 0x11146}, {0x111C9, 0x111C9}, {0x111CE, 0x111CF}, {0x1133B, 0x1133B},
    {0x1145E, 0x1145E}, {0x1182C, 0x11A99}, {0x11D31, 0x11EF6}, {0x16F4F, 0x16F4F},
    {0x16F7F, 0x16F87}, {0x16FE4, 0x16FF1}, {0x1CF00, 0x1CF46}, {0x1E130, 0x1E2EF},
    {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

template <std::size_t count>
bool holds(const CodePointRange (&ranges)[count], char32_t c) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t a, const CodePointRange& r) { return a < r.first; });
  return after != std::begin(ranges) && std::prev(after)->last >= c;
}

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_between(utf8proc_category_t value, utf8proc_category_t first, utf8proc_category_t last) {
  return value >= first && value <= last;
}

/// Letters in circles and squares: symbols, but alphabetic.
bool is_enclosed_letter(char32_t c) {
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

}  // namespace

bool is_newer_than_unicode9(char32_t c) {
  return holds(kNewerThanUnicode9, c);
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_numeric(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  return is_between(category(c), UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_word(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return is_between(kind, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) ||
         kind == UTF8PROC_CATEGORY_PC || is_enclosed_letter(c) || c == 0x200C || c == 0x200D;
}

bool is_punctuation(char32_t c) {
  const utf8proc_category_t kind = category(c);
  if (c < 0x80) return is_between(kind, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_SO);  // "$" too
  if (c == 0x166D || c == 0x111C9) return true;  // until Unicode 8
  return is_between(kind, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO) &&
         !holds(kNewerThanUnicode8, c);
}

bool is_control(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const utf8proc_category_t kind = category(c);
  return (kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF ||
          kind == UTF8PROC_CATEGORY_CO) &&
         !holds(kNewerThanUnicode8, c);
}

bool is_nonspacing_mark(char32_t c) {
  if (c < 0x300) return false;
  if (c == 0x1734) return true;  // until Unicode 8
  return category(c) == UTF8PROC_CATEGORY_MN && !holds(kNewerThanUnicode8, c);
}

bool is_combining_mark(char32_t c) {
  if (c < 0x300) return false;
  if (c == 0x1CF2 || c == 0x1CF3) return true;  // until Unicode 9
  return is_between(category(c), UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME) &&
         !holds(kNewerThanUnicode9, c);
}

bool is_chinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) ||
         (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

char32_t to_lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

std::size_t leading_white_space(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size_bytes = next_utf8(text.substr(at)).size_bytes;
    if (!is_white_space(decode_utf8(text.substr(at, size_bytes)))) break;
    at += size_bytes;
  }
  return at;
}

std::size_t trailing_white_space(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t begin = last_character(text.substr(0, end));
    if (!is_white_space(decode_utf8(text.substr(begin, end - begin)))) break;
    end = begin;
  }
  return text.size() - end;
}

std::size_t last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80) --begin;
  return begin;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

}  // namespace cairn::text::huggingface
