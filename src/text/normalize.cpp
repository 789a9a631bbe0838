#include "text/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

const utf8proc_property_t& property_of(char32_t code_point) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
}

// Whether nothing from here on touches what stands before: a starter that never combines to the
// left. All that do are marks, Hangul vowels and finals, or Kirat Rai vowels.
bool is_border(char32_t code_point) {
  if (code_point < 0x300) return true;
  if (code_point >= 0x1160 && code_point <= 0x11FF) return false;
  if (code_point >= 0x16D63 && code_point <= 0x16D6A) return false;
  const utf8proc_property_t& property = property_of(code_point);
  const bool is_mark = property.category >= UTF8PROC_CATEGORY_MN &&  // MN, MC, ME are neighbours
                       property.category <= UTF8PROC_CATEGORY_ME;
  return property.combining_class == 0 && !is_mark;
}

// Whether the code point surely stays what it is. Below U+0300 all do; a Hangul syllable does.
bool is_stable(char32_t code_point) {
  constexpr std::uint16_t kNone = 0xFFFF;
  if (code_point < 0x300 || (code_point >= 0xAC00 && code_point <= 0xD7A3)) return true;
  const utf8proc_property_t& property = property_of(code_point);
  return property.decomp_seqindex == kNone || property.decomp_type != 0;
}

void append_decomposed(char32_t code_point, std::vector<utf8proc_int32_t>& decomposed) {
  std::array<utf8proc_int32_t, 8> parts{};  // the longest canonical decomposition has four
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                              static_cast<utf8proc_ssize_t>(parts.size()),
                              static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE), &boundary);
  CHECK(count > 0 && count <= static_cast<utf8proc_ssize_t>(parts.size()), "U+{:X}: {}",
        static_cast<unsigned>(code_point), count);
  decomposed.insert(decomposed.end(), parts.begin(), parts.begin() + count);
}

// The library's own ordering compares neighbours, which is quadratic on long runs of marks.
void order_marks(std::vector<utf8proc_int32_t>& decomposed) {
  const auto class_of = [](utf8proc_int32_t c) {
    return property_of(static_cast<char32_t>(c)).combining_class;
  };
  for (auto begin = decomposed.begin(); begin != decomposed.end();) {
    if (class_of(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, decomposed.end(), [&](utf8proc_int32_t c) { return class_of(c) == 0; });
    std::stable_sort(begin, end, [&](utf8proc_int32_t a, utf8proc_int32_t b) {
      return class_of(a) < class_of(b);
    });
    begin = end;
  }
}

void append_composed(std::string_view text, std::vector<utf8proc_int32_t>& code_points,
                     std::string& result) {
  code_points.clear();
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t size_bytes = next_utf8(text.substr(position)).size_bytes;
    append_decomposed(decode_utf8(text.substr(position, size_bytes)), code_points);
    position += size_bytes;
  }
  order_marks(code_points);
  const utf8proc_ssize_t count = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  CHECK(count >= 0, "{}", count);
  code_points.resize(static_cast<std::size_t>(count));
  for (const utf8proc_int32_t c : code_points) append_utf8(result, static_cast<char32_t>(c));
}

std::size_t skip_ascii(std::string_view text, std::size_t from) {
  while (from < text.size() && static_cast<std::uint8_t>(text[from]) < 0x80) ++from;
  return from;
}

/// The next stretch at or after `from` that composition may change; empty at the end if there is
/// none.
std::pair<std::size_t, std::size_t> find_unstable(std::string_view text, std::size_t from) {
  std::size_t border = from;
  for (std::size_t at = from; at < text.size();) {
    if (const std::size_t end = skip_ascii(text, at); end > at) {
      border = end - 1;
      at = end;
      continue;
    }
    const std::size_t size_bytes = lead_size(text[at]);
    const char32_t c = decode_utf8(text.substr(at, size_bytes));
    const bool begins = is_border(c);
    if (begins) border = at;
    at += size_bytes;
    if (begins && is_stable(c)) continue;
    while (at < text.size()) {
      const std::size_t next = lead_size(text[at]);
      if (is_border(decode_utf8(text.substr(at, next)))) break;
      at += next;
    }
    return {border, at};
  }
  return {text.size(), text.size()};
}

}  // namespace

bool compose_utf8(std::string_view text, std::string& result, std::vector<ComposedRange>* changes) {
  const std::size_t start = result.size();
  std::vector<utf8proc_int32_t> code_points;
  std::string composed;
  std::size_t done = 0;  // of the text, into the result
  for (std::size_t from = 0; from < text.size();) {
    const auto [begin, end] = find_unstable(text, from);
    from = end;
    if (begin == end) break;
    composed.clear();
    append_composed(text.substr(begin, end - begin), code_points, composed);
    if (composed == text.substr(begin, end - begin)) continue;
    result.append(text.substr(done, begin - done));
    if (changes != nullptr) {
      const auto at = static_cast<std::uint32_t>(result.size() - start);
      changes->push_back({at, at + static_cast<std::uint32_t>(composed.size()),
                          static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    }
    result += composed;
    done = end;
  }
  if (done == 0) return false;  // a change never is empty
  result.append(text.substr(done));
  return true;
}

}  // namespace cairn::text
