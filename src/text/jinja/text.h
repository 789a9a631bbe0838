#pragma once
// A string value: immutable UTF-8 with Python's str semantics (indices count code points) that
// remembers for each character whether the template wrote it or the conversation brought it. Only
// the template's own characters may later match special tokens.
//
//   bytes   <|im_start|>user\n Hi <|im_end|> <|im_end|>
//   origin  template.........  content...... template..

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text::jinja {

enum class Origin : std::uint8_t {
  template_source,  // written by the template's author, or one of the model's own tokens
  content,          // came with the conversation
};

/// Cheap to copy (shares its bytes); safe to share between threads.
class Text {
 public:
  Text() = default;
  Text(std::string bytes, Origin origin);
  /// The template's own text.
  static Text own(std::string_view bytes) { return {std::string(bytes), Origin::template_source}; }

  std::string_view bytes() const { return body_ ? std::string_view(body_->bytes) : ""; }
  std::size_t size() const { return body_ ? body_->bytes.size() : 0; }
  bool empty() const { return size() == 0; }
  std::size_t length() const { return body_ ? body_->length : 0; }  // in code points
  bool is_ascii() const { return length() == size(); }

  /// Byte offset of the code point `index`; index <= length().
  std::size_t offset_of(std::size_t index) const;
  /// Code points before byte `offset`.
  std::size_t index_of(std::size_t offset) const;
  /// `count` bytes from byte `begin`, with their origins.
  Text sub(std::size_t begin, std::size_t count = std::string_view::npos) const;
  Origin origin_at(std::size_t offset) const;

  /// Declared safe by `|safe` or `|escape`: adding other text to it escapes that.
  bool is_markup() const { return body_ && body_->markup; }
  Text with_markup(bool markup) const;

  /// Calls visit(bytes, origin) for each maximal piece of one origin in [begin, end).
  template <class Visit>
  void for_each_piece(std::size_t begin, std::size_t end, Visit&& visit) const {
    if (begin >= end) return;
    if (body_->runs.empty()) return visit(bytes().substr(begin, end - begin), body_->origin);
    for (const Run& run : body_->runs) {
      if (run.end <= begin) continue;
      const std::size_t stop = run.end < end ? run.end : end;
      visit(bytes().substr(begin, stop - begin), run.origin);
      begin = stop;
      if (begin == end) return;
    }
  }
  template <class Visit>
  void for_each_piece(Visit&& visit) const {
    for_each_piece(0, size(), visit);
  }

  friend bool operator==(const Text& a, const Text& b) { return a.bytes() == b.bytes(); }
  friend auto operator<=>(const Text& a, const Text& b) { return a.bytes() <=> b.bytes(); }

 private:
  friend class TextBuilder;
  struct Run {
    std::size_t end;  // byte offset behind the run
    Origin origin;
  };
  struct Body {
    std::string bytes;
    std::vector<Run> runs;  // empty where the whole text has one origin
    std::size_t length = 0;
    Origin origin = Origin::template_source;
    bool markup = false;
  };
  std::shared_ptr<const Body> body_;  // null: empty
};

/// Puts a Text together; refuses beyond kMaxTextBytes (or a smaller limit).
class TextBuilder {
 public:
  TextBuilder();
  explicit TextBuilder(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void append(const Text& text) { append(text, 0, text.size()); }
  void append(const Text& text, std::size_t begin, std::size_t end);
  void append(std::string_view bytes, Origin origin);
  void append_own(std::string_view bytes) { append(bytes, Origin::template_source); }
  void append_repeated(const Text& text, std::size_t count);

  std::size_t size() const { return bytes_.size(); }
  Text finish(bool markup = false);

 private:
  void require_room(std::size_t bytes) const;

  std::string bytes_;
  std::vector<Text::Run> runs_;  // closed runs; the last one is still open
  Origin origin_ = Origin::template_source;
  std::size_t max_bytes_;
};

}  // namespace cairn::text::jinja
