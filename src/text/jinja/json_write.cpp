#include <algorithm>
#include <cmath>

#include "text/jinja/access.h"
#include "text/jinja/compare.h"
#include "text/jinja/dict.h"
#include "text/jinja/json.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"
#include "text/jinja/repr.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

class Writer {
 public:
  explicit Writer(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    if (const Text* text = value.text()) {
      write_text(*text);
    } else if (const Sequence* sequence = value.sequence()) {
      write_items(*sequence);
    } else if (const Dict* dict = value.dict()) {
      write_entries(*dict);
    } else if (value.is_none() || value.is_number()) {
      builder_.append_own(scalar(value));
    } else if (const auto* number = value.object_as<BigInteger>()) {
      builder_.append_own(number->digits());
    } else {
      refuse("Object of type {} is not JSON serializable", value.type_name());
    }
  }
  Text finish() { return builder_.finish(); }

 private:
  static std::string scalar(const Value& value) {
    if (value.is_none()) return "null";
    if (const bool* boolean = value.as<bool>()) return *boolean ? "true" : "false";
    const double* real = value.as<double>();
    if (!real) return fmt::to_string(*value.integer());
    if (std::isnan(*real)) return "NaN";
    if (std::isinf(*real)) return *real < 0 ? "-Infinity" : "Infinity";
    return repr_float(*real);
  }

  void write_text(const Text& text) {
    builder_.append_own("\"");
    text.for_each_piece([&](std::string_view piece, Origin origin) {
      std::string escaped;
      escaped.reserve(piece.size());
      for (std::size_t offset = 0; offset < piece.size();) {
        const std::size_t size = plain_size(piece.substr(offset));
        escaped += piece.substr(offset, size);
        offset += size;
        if (offset < piece.size()) append_escaped(escaped, decode(piece, offset));
      }
      builder_.append(escaped, origin);
    });
    builder_.append_own("\"");
  }

  /// How many bytes go out as they are.
  std::size_t plain_size(std::string_view bytes) const {
    const auto is_plain = [&](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= 0x20 && c != '"' && c != '\\' && !(style_.ensure_ascii && byte >= 0x7f);
    };
    const auto end = std::find_if_not(bytes.begin(), bytes.end(), is_plain);
    return static_cast<std::size_t>(end - bytes.begin());
  }

  void append_escaped(std::string& bytes, char32_t c) const {
    constexpr std::string_view specials = "\"\\\n\r\t\f\b";
    constexpr std::string_view letters = "\"\\nrtfb";
    const std::size_t special =
        c < 0x80 ? specials.find(static_cast<char>(c)) : std::string_view::npos;
    const auto unit = [&](std::uint32_t value) { bytes += fmt::format("\\u{:04x}", value); };
    if (special != std::string_view::npos) {
      bytes += '\\';
      bytes += letters[special];
    } else if (c >= 32 && (c < 127 || !style_.ensure_ascii)) {
      append_utf8(bytes, c);
    } else if (c < 0x10000) {
      unit(c);
    } else {
      unit(0xd800 + ((static_cast<std::uint32_t>(c) - 0x10000) >> 10));
      unit(0xdc00 + (c & 0x3ff));
    }
  }

  void new_line() {
    if (!style_.indent) return;
    builder_.append_own("\n");
    builder_.append_repeated(*style_.indent, level_);
  }

  void write_items(const Sequence& sequence) {
    if (sequence.items.empty()) return builder_.append_own("[]");
    builder_.append_own("[");
    ++level_;
    bool is_first = true;
    for (const Value& item : sequence.items) {
      if (!is_first) builder_.append(style_.item_separator);
      is_first = false;
      new_line();
      write(item);
    }
    --level_;
    new_line();
    builder_.append_own("]");
  }

  void write_entries(const Dict& dict) {
    if (dict.entries().empty()) return builder_.append_own("{}");
    builder_.append_own("{");
    ++level_;
    bool is_first = true;
    for (const Dict::Entry* entry : ordered(dict)) {
      if (!is_first) builder_.append(style_.item_separator);
      is_first = false;
      new_line();
      write_key(entry->key);
      builder_.append(style_.key_separator);
      write(entry->value);
    }
    --level_;
    new_line();
    builder_.append_own("}");
  }

  void write_key(const Value& key) {
    write_text(key.text() ? *key.text() : Text::own(scalar(key)));
  }

  std::vector<const Dict::Entry*> ordered(const Dict& dict) const {
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (!style_.sort_keys) return entries;
    Budget budget(UINT64_MAX);
    std::stable_sort(
        entries.begin(), entries.end(),
        [&](const Dict::Entry* a, const Dict::Entry* b) { return less(a->key, b->key, budget); });
    return entries;
  }

  const JsonStyle& style_;
  TextBuilder builder_;
  std::size_t level_ = 0;
};

}  // namespace

Text write_json(const Value& value, const JsonStyle& style) {
  Writer writer(style);
  writer.write(value);
  return writer.finish();
}

}  // namespace cairn::text::jinja
