#include "text/jinja/unicode.h"

#include <utf8proc.h>

#include <algorithm>

#include "text/jinja/case_mapping.h"

namespace cairn::text::jinja {
namespace {

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

/// Length of the sequence that `lead` starts, 0 where no sequence starts with it.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

char32_t simple_upper(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code_point)));
}

char32_t simple_lower(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(bytes[i]));
    if (length == 0 || length > bytes.size() - i) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if (!is_continuation(bytes[i + k])) return false;
    }
    std::size_t next = i;
    const char32_t code_point = decode(bytes, next);
    if (!is_scalar_value(code_point)) return false;
    if (length == 3 && code_point < 0x800) return false;
    if (length == 4 && code_point < 0x10000) return false;
    i += length;
  }
  return true;
}

bool is_ascii(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t count_code_points(std::string_view bytes) {
  return static_cast<std::size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return !is_continuation(c); }));
}

char32_t decode(std::string_view bytes, std::size_t& offset) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[offset + i]));
  };
  const char32_t lead = byte(0);
  char32_t code_point = lead;
  std::size_t length = 1;
  if (lead >= 0xf0) {
    code_point = (lead & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63);
    length = 4;
  } else if (lead >= 0xe0) {
    code_point = (lead & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
    length = 3;
  } else if (lead >= 0xc0) {
    code_point = (lead & 31) << 6 | (byte(1) & 63);
    length = 2;
  }
  offset += length;
  return code_point;
}

std::size_t previous_offset(std::string_view bytes, std::size_t offset) {
  do {
    --offset;
  } while (offset > 0 && is_continuation(bytes[offset]));
  return offset;
}

void append_utf8(std::string& bytes, char32_t code_point) {
  const auto put = [&](char32_t byte) { bytes.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 63));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 63));
    put(0x80 | (code_point & 63));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 63));
    put(0x80 | (code_point >> 6 & 63));
    put(0x80 | (code_point & 63));
  }
}

bool is_scalar_value(std::uint32_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_line_break(char32_t c) {
  return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
  if (c < 0x80) return c >= 32 && c < 127;
  switch (category_of(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_alphabetic(char32_t c) {
  const utf8proc_category_t category = category_of(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t c) {
  return category_of(c) == UTF8PROC_CATEGORY_ND;
}

bool is_digit(char32_t c) {
  // Superscripts, subscripts and circled digits have a digit value without being decimal.
  return is_decimal(c) || c == 0xb2 || c == 0xb3 || c == 0xb9 || c == 0x2070 ||
         (c >= 0x2074 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089) ||
         (c >= 0x1369 && c <= 0x1371) || c == 0x19da || (c >= 0x2460 && c <= 0x2468) ||
         (c >= 0x2474 && c <= 0x247c) || (c >= 0x2488 && c <= 0x2490) || c == 0x24ea ||
         (c >= 0x24f5 && c <= 0x24fd) || c == 0x24ff || (c >= 0x2776 && c <= 0x277e) ||
         (c >= 0x2780 && c <= 0x2788) || (c >= 0x278a && c <= 0x2792) ||
         (c >= 0x10a40 && c <= 0x10a43) || (c >= 0x10e60 && c <= 0x10e68) ||
         (c >= 0x11052 && c <= 0x1105a) || (c >= 0x1f100 && c <= 0x1f10a);
}

bool is_numeric(char32_t c) {
  const utf8proc_category_t category = category_of(c);
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
         category == UTF8PROC_CATEGORY_NO || is_numeric_ideograph(c);
}

bool is_alphanumeric(char32_t c) {
  return is_alphabetic(c) || is_numeric(c);
}
bool is_word(char32_t c) {
  return c == '_' || is_alphanumeric(c);
}

bool is_upper(char32_t c) {
  return category_of(c) == UTF8PROC_CATEGORY_LU || (c >= 0x2160 && c <= 0x216f) ||
         (c >= 0x24b6 && c <= 0x24cf) || (c >= 0x1f130 && c <= 0x1f149) ||
         (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
}

bool is_lower(char32_t c) {
  return category_of(c) == UTF8PROC_CATEGORY_LL || is_other_lowercase(c);
}

bool is_title(char32_t c) {
  return category_of(c) == UTF8PROC_CATEGORY_LT;
}

bool is_identifier_start(char32_t c) {
  return c == '_' || is_alphabetic(c) || category_of(c) == UTF8PROC_CATEGORY_NL;
}

bool is_identifier_part(char32_t c) {
  if (is_identifier_start(c)) return true;
  switch (category_of(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

void append_upper(std::string& bytes, char32_t c) {
  if (c < 0x80) {
    bytes.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c));
  } else if (const std::string_view full = special_upper(c); !full.empty()) {
    bytes += full;
  } else {
    append_utf8(bytes, simple_upper(c));
  }
}

void append_lower(std::string& bytes, char32_t c) {
  if (c < 0x80) {
    bytes.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
  } else if (c == 0x130) {
    bytes += "i\u0307";
  } else {
    append_utf8(bytes, simple_lower(c));
  }
}

void append_title(std::string& bytes, char32_t c) {
  if (const std::string_view full = special_title(c); !full.empty()) {
    bytes += full;
  } else if (c < 0x80) {
    append_upper(bytes, c);
  } else {
    append_utf8(bytes, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))));
  }
}

}  // namespace cairn::text::jinja
