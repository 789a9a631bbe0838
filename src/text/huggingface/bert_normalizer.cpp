#include "text/huggingface/normalizer.h"
#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

/// Drops controls, and makes every white space a blank.
class CleanTextNormalizer final : public Normalizer {
 public:
  void apply(Rewriter& rewriter) const override {
    const std::string_view text = rewriter.old_text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size_bytes = next_utf8(text.substr(at)).size_bytes;
      const char32_t c = decode_utf8(text.substr(at, size_bytes));
      at += size_bytes;
      if (c == 0 || c == 0xFFFD || is_control(c))
        rewriter.remove();
      else if (is_white_space(c))
        rewriter.replace(" ");
      else
        rewriter.keep(size_bytes);
    }
  }
};

/// A blank on either side of each ideograph.
class IdeographNormalizer final : public Normalizer {
 public:
  bool leaves(std::string_view text) const override { return is_ascii(text); }
  void apply(Rewriter& rewriter) const override {
    const std::string_view text = rewriter.old_text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size_bytes = next_utf8(text.substr(at)).size_bytes;
      const std::string_view character = text.substr(at, size_bytes);
      at += size_bytes;
      if (!is_chinese(decode_utf8(character))) {
        rewriter.keep(size_bytes);
        continue;
      }
      rewriter.replace(" ");
      rewriter.insert(character);
      rewriter.insert(" ");
    }
  }
};

class NonspacingMarkNormalizer final : public Normalizer {
 public:
  bool leaves(std::string_view text) const override { return is_ascii(text); }
  void apply(Rewriter& rewriter) const override {
    const std::string_view text = rewriter.old_text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size_bytes = next_utf8(text.substr(at)).size_bytes;
      const bool mark = is_nonspacing_mark(decode_utf8(text.substr(at, size_bytes)));
      at += size_bytes;
      mark ? rewriter.remove() : rewriter.keep(size_bytes);
    }
  }
};

}  // namespace

void append_bert_normalizers(const Field& block, Normalizers& normalizers) {
  const bool lowercase = block.boolean("lowercase", true);
  if (block.boolean("clean_text", true))
    normalizers.push_back(std::make_unique<CleanTextNormalizer>());
  if (block.boolean("handle_chinese_chars", true))
    normalizers.push_back(std::make_unique<IdeographNormalizer>());
  if (block.boolean("strip_accents", lowercase)) {
    normalizers.push_back(make_form_normalizer("NFD"));
    normalizers.push_back(std::make_unique<NonspacingMarkNormalizer>());
  }
  if (lowercase) normalizers.push_back(make_lowercase_normalizer());
}

}  // namespace cairn::text::huggingface
