#include "text/huggingface/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::uint16_t kNoIndex = 0xFFFF;
constexpr char32_t kSyllableFirst = 0xAC00;
constexpr char32_t kSyllableLast = 0xD7A3;
constexpr char32_t kFinalFirst = 0x11A8;
constexpr char32_t kFinalLast = 0x11C2;

/// A character and how many of the text it stands for: 1 less `change`.
struct Unit {
  char32_t character = 0;
  int change = 0;
  int combining_class = 0;
};

const utf8proc_property_t& property_of(char32_t c) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
}

int combining_class(char32_t c) {
  if (c < 0x300 || is_newer_than_unicode9(c)) return 0;
  return property_of(c).combining_class;
}

bool is_syllable(char32_t c) {
  return c >= kSyllableFirst && c <= kSyllableLast;
}

bool composes(NormalForm form) {
  return form == NormalForm::nfc || form == NormalForm::nfkc;
}

bool is_compatibility(NormalForm form) {
  return form == NormalForm::nfkc || form == NormalForm::nfkd;
}

/// Stays what it is, and neither side touches it.
bool is_inert(NormalForm form, char32_t c) {
  if (is_syllable(c) || (c >= 0x1100 && c <= 0x11FF)) return false;
  const utf8proc_property_t& property = property_of(c);
  const bool decomposes =
      property.decomp_seqindex != kNoIndex && (property.decomp_type == 0 || is_compatibility(form));
  if (!decomposes && property.comb_index == kNoIndex && property.combining_class == 0) return true;
  return is_newer_than_unicode9(c);
}

void append_decomposed(NormalForm form, char32_t c, std::vector<Unit>& units) {
  if (c < 0x80 || is_newer_than_unicode9(c)) {
    units.push_back({c, 0, 0});
    return;
  }
  std::array<utf8proc_int32_t, 32> parts{};  // the longest decomposition has 18
  int boundary = 0;
  const int options =
      UTF8PROC_DECOMPOSE | (is_compatibility(form) ? static_cast<int>(UTF8PROC_COMPAT) : 0);
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(options), &boundary);
  CHECK(count > 0 && count <= static_cast<utf8proc_ssize_t>(parts.size()), "U+{:X}: {}",
        static_cast<unsigned>(c), count);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(i)]);
    units.push_back({part, i > 0 ? 1 : 0, combining_class(part)});
  }
}

void order_marks(std::vector<Unit>& units) {
  const auto is_starter = [](const Unit& unit) { return unit.combining_class == 0; };
  for (auto begin = units.begin(); begin != units.end();) {
    const auto end = std::find_if(begin, units.end(), is_starter);
    std::stable_sort(begin, end, [](const Unit& a, const Unit& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end == units.end() ? end : end + 1;
  }
}

std::optional<char32_t> compose_pair(char32_t first, char32_t second) {
  if (is_newer_than_unicode9(second)) return std::nullopt;
  const bool is_hangul = second >= 0x1160 && second <= 0x11FF;
  if (!is_hangul &&
      (property_of(first).comb_index == kNoIndex || property_of(second).comb_index == kNoIndex))
    return std::nullopt;
  std::array<utf8proc_int32_t, 2> pair = {static_cast<utf8proc_int32_t>(first),
                                          static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  if (utf8proc_normalize_utf32(pair.data(), 2, options) != 1) return std::nullopt;
  return static_cast<char32_t>(pair[0]);
}

void write_unit(const Unit& unit, Rewriter& rewriter) {
  std::string character;
  append_utf8(character, unit.character);
  rewriter.put(character, unit.change);
}

/// Unicode's canonical composition: a character joins the last starter unless one of the same or a
/// higher class stands between.
void write_composed(const std::vector<Unit>& units, Rewriter& rewriter) {
  std::optional<Unit> starter;
  std::vector<Unit> marks;  // after the starter
  const auto flush = [&] {
    if (starter) write_unit(*starter, rewriter);
    for (const Unit& mark : marks) write_unit(mark, rewriter);
    marks.clear();
  };
  for (const Unit& unit : units) {
    const bool blocked = !marks.empty() && marks.back().combining_class >= unit.combining_class;
    const auto composed =
        starter && !blocked ? compose_pair(starter->character, unit.character) : std::nullopt;
    if (composed) {
      starter->character = *composed;
      starter->change += unit.change - 1;
    } else if (unit.combining_class == 0) {
      flush();
      starter = unit;
    } else if (starter) {
      marks.push_back(unit);
    } else {
      write_unit(unit, rewriter);
    }
  }
  flush();
}

/// The characters of a text, one by one.
struct Reader {
  std::string_view text;
  std::size_t position = 0;

  bool at_end() const { return position == text.size(); }
  std::size_t size_bytes() const { return next_utf8(text.substr(position)).size_bytes; }
  char32_t peek() const { return decode_utf8(text.substr(position, size_bytes())); }
  std::size_t ascii_bytes() const {
    std::size_t end = position;
    while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80) ++end;
    return end - position;
  }
};

/// How many bytes from here on surely stay as they are.
std::size_t inert_bytes(NormalForm form, Reader reader) {
  const std::size_t begin = reader.position;
  while (!reader.at_end()) {
    if (const std::size_t ascii = reader.ascii_bytes(); ascii > 0) {
      reader.position += ascii;
      if (reader.at_end()) break;
      if (is_inert(form, reader.peek())) continue;
      --reader.position;  // a mark may join the last letter
      break;
    }
    const char32_t c = reader.peek();
    Reader next = reader;
    next.position += reader.size_bytes();
    const bool joined = !next.at_end() && next.peek() >= kFinalFirst && next.peek() <= kFinalLast;
    const bool stays = is_syllable(c) ? composes(form) && !joined : is_inert(form, c);
    if (!stays) break;
    reader = next;
  }
  return reader.position - begin;
}

}  // namespace

void write_normal_form(NormalForm form, Rewriter& rewriter) {
  Reader reader{rewriter.old_text()};
  std::vector<Unit> units;
  while (!reader.at_end()) {
    const std::size_t inert = inert_bytes(form, reader);
    rewriter.keep(inert);
    reader.position += inert;
    units.clear();
    // At least one character; a letter of ASCII begins a stretch, and ends the one before.
    while (!reader.at_end()) {
      const char32_t c = reader.peek();
      if (!units.empty() && (c < 0x80 || is_inert(form, c))) break;
      append_decomposed(form, c, units);
      reader.position += reader.size_bytes();
    }
    order_marks(units);
    if (composes(form)) {
      write_composed(units, rewriter);
    } else {
      for (const Unit& unit : units) write_unit(unit, rewriter);
    }
  }
}

}  // namespace cairn::text::huggingface
