#include "text/jinja/text_operations.h"

#include <algorithm>

#include "text/jinja/limits.h"
#include "text/jinja/scanner.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

bool has_character(std::string_view set, char32_t wanted) {
  for (std::size_t offset = 0; offset < set.size();) {
    if (decode(set, offset) == wanted) return true;
  }
  return false;
}

std::vector<Text> split_at_space(const Text& text, std::int64_t max_splits) {
  std::vector<Text> parts;
  const std::string_view bytes = text.bytes();
  std::size_t offset = skip_space(bytes, 0);
  while (offset < bytes.size()) {
    if (max_splits >= 0 && parts.size() == static_cast<std::size_t>(max_splits)) {
      parts.push_back(text.sub(offset));
      break;
    }
    std::size_t end = offset;
    while (end < bytes.size()) {
      std::size_t next = end;
      if (is_space(decode(bytes, next))) break;
      end = next;
    }
    parts.push_back(text.sub(offset, end - offset));
    offset = skip_space(bytes, end);
  }
  return parts;
}

std::vector<Text> split_at_space_from_right(const Text& text, std::int64_t max_splits) {
  std::vector<Text> parts;
  const std::string_view bytes = text.bytes();
  std::size_t end = trim_space(bytes, 0, bytes.size());
  while (end > 0) {
    if (max_splits >= 0 && parts.size() == static_cast<std::size_t>(max_splits)) {
      parts.push_back(text.sub(0, end));
      break;
    }
    std::size_t begin = end;
    while (begin > 0) {
      const std::size_t previous = previous_offset(bytes, begin);
      std::size_t next = previous;
      if (is_space(decode(bytes, next))) break;
      begin = previous;
    }
    parts.push_back(text.sub(begin, end - begin));
    end = trim_space(bytes, 0, begin);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

void require_separator(const Text& separator) {
  if (separator.empty()) refuse("empty separator");
}

}  // namespace

Text strip(const Text& text, Side side, const std::optional<Text>& characters) {
  const std::string_view bytes = text.bytes();
  const auto is_stripped = [&](char32_t c) {
    return characters ? has_character(characters->bytes(), c) : is_space(c);
  };
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  while (side != Side::right && begin < end) {
    std::size_t next = begin;
    if (!is_stripped(decode(bytes, next))) break;
    begin = next;
  }
  while (side != Side::left && end > begin) {
    const std::size_t previous = previous_offset(bytes, end);
    std::size_t next = previous;
    if (!is_stripped(decode(bytes, next))) break;
    end = previous;
  }
  return text.sub(begin, end - begin);
}

Text replace(const Text& text, const Text& old, const Text& replacement, std::int64_t count) {
  const std::string_view bytes = text.bytes();
  TextBuilder builder;
  std::size_t offset = 0;
  if (old.empty()) {  // between all characters, and at both ends
    for (; count != 0; --count) {
      builder.append(replacement);
      if (offset == bytes.size()) return builder.finish(text.is_markup());
      std::size_t next = offset;
      decode(bytes, next);
      builder.append(text, offset, next);
      offset = next;
    }
  }
  for (; count != 0; --count) {
    const std::size_t at = bytes.find(old.bytes(), offset);
    if (at == std::string_view::npos) break;
    builder.append(text, offset, at);
    builder.append(replacement);
    offset = at + old.size();
  }
  if (offset == 0) return text;
  builder.append(text, offset, bytes.size());
  return builder.finish(text.is_markup());
}

std::vector<Text> split(const Text& text, const std::optional<Text>& separator,
                        std::int64_t max_splits) {
  if (!separator) return split_at_space(text, max_splits);
  require_separator(*separator);
  std::vector<Text> parts;
  std::size_t offset = 0;
  for (; max_splits != 0; --max_splits) {
    const std::size_t at = text.bytes().find(separator->bytes(), offset);
    if (at == std::string_view::npos) break;
    parts.push_back(text.sub(offset, at - offset));
    offset = at + separator->size();
  }
  parts.push_back(text.sub(offset));
  return parts;
}

std::vector<Text> split_from_right(const Text& text, const std::optional<Text>& separator,
                                   std::int64_t max_splits) {
  if (!separator) return split_at_space_from_right(text, max_splits);
  require_separator(*separator);
  std::vector<Text> parts;
  std::size_t end = text.size();
  for (; max_splits != 0 && end >= separator->size(); --max_splits) {
    const std::size_t at = text.bytes().rfind(separator->bytes(), end - separator->size());
    if (at == std::string_view::npos) break;
    parts.push_back(text.sub(at + separator->size(), end - at - separator->size()));
    end = at;
  }
  parts.push_back(text.sub(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_lines(const Text& text, bool keep_ends) {
  const std::string_view bytes = text.bytes();
  std::vector<Text> lines;
  std::size_t begin = 0;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const std::size_t end = offset;
    const char32_t c = decode(bytes, offset);
    if (!is_line_break(c)) continue;
    if (c == '\r' && offset < bytes.size() && bytes[offset] == '\n') ++offset;
    lines.push_back(text.sub(begin, (keep_ends ? offset : end) - begin));
    begin = offset;
  }
  if (begin < bytes.size()) lines.push_back(text.sub(begin));
  return lines;
}

Text map_characters(const Text& text, AppendMapped append) {
  TextBuilder builder;
  text.for_each_piece([&](std::string_view piece, Origin origin) {
    std::string mapped;
    for (std::size_t offset = 0; offset < piece.size();) append(mapped, decode(piece, offset));
    builder.append(mapped, origin);
  });
  return builder.finish(text.is_markup());
}

Text to_upper(const Text& text) {
  return map_characters(text, append_upper);
}

Text to_lower(const Text& text) {
  constexpr char32_t sigma = 0x3a3;
  constexpr char32_t final_sigma = 0x3c2;
  const std::string_view bytes = text.bytes();
  if (bytes.find("\u03a3") == std::string_view::npos) return map_characters(text, append_lower);
  TextBuilder builder;
  bool is_behind_letter = false;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const std::size_t begin = offset;
    const char32_t c = decode(bytes, offset);
    std::size_t next = offset;
    const bool is_before_letter = offset < bytes.size() && is_alphabetic(decode(bytes, next));
    std::string mapped;
    if (c == sigma && is_behind_letter && !is_before_letter) {
      append_utf8(mapped, final_sigma);
    } else {
      append_lower(mapped, c);
    }
    builder.append(mapped, text.origin_at(begin));
    is_behind_letter = is_alphabetic(c);
  }
  return builder.finish(text.is_markup());
}

Text capitalize(const Text& text) {
  if (text.empty()) return text;
  std::size_t first = 0;
  decode(text.bytes(), first);
  TextBuilder builder;
  builder.append(map_characters(text.sub(0, first), append_title));
  builder.append(to_lower(text.sub(first)));
  return builder.finish(text.is_markup());
}

Text pad(const Text& text, std::size_t width, Side fill_side, const Text& fill) {
  if (width <= text.length()) return text;
  if (fill.length() != 1) refuse("the fill character must be exactly one character long");
  TextBuilder builder;
  if (fill_side == Side::left) builder.append_repeated(fill, width - text.length());
  builder.append(text);
  if (fill_side == Side::right) builder.append_repeated(fill, width - text.length());
  return builder.finish(text.is_markup());
}

Text center(const Text& text, std::size_t width, const Text& fill) {
  if (width <= text.length()) return text;
  const std::size_t missing = width - text.length();
  // An odd rest goes left where the width is odd, as Python does.
  const std::size_t left = missing / 2 + (missing & width & 1);
  const Text padded = pad(text, text.length() + left, Side::left, fill);
  return pad(padded, width, Side::right, fill);
}

}  // namespace cairn::text::jinja
