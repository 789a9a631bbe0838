#include "text/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

constexpr char32_t kFirstDecomposable = 0xC0;

// No code point below U+0300 changes under NFC or combines with what stands before it. U+0300 is
// CC 80 in UTF-8, and smaller leads encode only smaller code points.
bool surely_composed(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0xCC;
  });
}

int combining_class(char32_t code_point) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
}

void append_decomposed(char32_t code_point, std::vector<utf8proc_int32_t>& decomposed) {
  if (code_point < kFirstDecomposable) {
    decomposed.push_back(static_cast<utf8proc_int32_t>(code_point));
    return;
  }
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
    return combining_class(static_cast<char32_t>(c));
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

}  // namespace

bool compose_utf8(std::string_view text, std::string& result) {
  if (surely_composed(text)) return false;
  std::vector<utf8proc_int32_t> code_points;
  code_points.reserve(text.size());
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
  return true;
}

}  // namespace cairn::text
