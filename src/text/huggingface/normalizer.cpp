#include "text/huggingface/normalizer.h"

#include <utility>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/huggingface/normal_form.h"
#include "text/huggingface/step_list.h"
#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestPrependBytes = 1024;

/// `visit(character, code point)` for each character of the old text.
template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::string_view character = text.substr(0, next_utf8(text).size_bytes);
    visit(character, decode_utf8(character));
    text.remove_prefix(character.size());
  }
}

class FormNormalizer final : public Normalizer {
 public:
  explicit FormNormalizer(NormalForm form) : form_(form) {}
  bool leaves(std::string_view text) const override { return is_ascii(text); }
  void apply(Rewriter& rewriter) const override { write_normal_form(form_, rewriter); }

 private:
  NormalForm form_;
};

class LowercaseNormalizer final : public Normalizer {
 public:
  void apply(Rewriter& rewriter) const override {
    constexpr char32_t dotted_capital_i = 0x130;  // the one that becomes two
    for_each_character(rewriter.old_text(), [&](std::string_view character, char32_t c) {
      if (c == dotted_capital_i) {
        rewriter.replace("i");
        rewriter.insert("\xCC\x87");
      } else if (const char32_t lower = to_lower(c); lower == c) {
        rewriter.keep(character.size());
      } else {
        std::string lowered;
        append_utf8(lowered, lower);
        rewriter.replace(lowered);
      }
    });
  }
};

class StripNormalizer final : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}
  void apply(Rewriter& rewriter) const override {
    std::string_view text = rewriter.old_text();
    if (right_) text.remove_suffix(trailing_white_space(text));
    const std::size_t leading = left_ ? leading_white_space(text) : 0;
    for_each_character(text.substr(0, leading),
                       [&](std::string_view, char32_t) { rewriter.remove(); });
    rewriter.keep(text.size() - leading);
  }

 private:
  bool left_;
  bool right_;
};

class StripAccentsNormalizer final : public Normalizer {
 public:
  bool leaves(std::string_view text) const override { return is_ascii(text); }
  void apply(Rewriter& rewriter) const override {
    for_each_character(rewriter.old_text(), [&](std::string_view character, char32_t c) {
      is_combining_mark(c) ? rewriter.remove() : rewriter.keep(character.size());
    });
  }
};

/// What SentencePiece's nmt rules do to controls and odd spaces.
class NmtNormalizer final : public Normalizer {
 public:
  void apply(Rewriter& rewriter) const override {
    for_each_character(rewriter.old_text(), [&](std::string_view character, char32_t c) {
      if (is_removed(c))
        rewriter.remove();
      else if (is_space(c))
        rewriter.replace(" ");
      else
        rewriter.keep(character.size());
    });
  }

 private:
  static bool is_removed(char32_t c) {
    return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
           c == 0x8F || c == 0x9F;
  }
  static bool is_space(char32_t c) {
    return c == '\t' || c == '\n' || c == 0x0C || c == '\r' || c == 0x1680 ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
           c == 0xFEFF || c == 0xFFFD;
  }
};

class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string_view prefix) : prefix_(prefix) {}
  bool leaves(std::string_view /*text*/) const override { return prefix_.empty(); }
  void apply(Rewriter& rewriter) const override { rewriter.prepend(prefix_); }

 private:
  std::string prefix_;
};

class ByteLevelNormalizer final : public Normalizer {
 public:
  void apply(Rewriter& rewriter) const override { write_byte_alphabet(rewriter); }
};

std::unique_ptr<Normalizer> make_normalizer(std::string_view type, const Field& block) {
  if (auto form = make_form_normalizer(type)) return form;
  if (type == "Lowercase") return make_lowercase_normalizer();
  if (type == "StripAccents") return std::make_unique<StripAccentsNormalizer>();
  if (type == "Nmt") return std::make_unique<NmtNormalizer>();
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  if (type == "Precompiled") return make_precompiled_normalizer(block);
  if (type == "Replace") return make_replace_normalizer(block);
  if (type == "Strip")
    return std::make_unique<StripNormalizer>(block.at("strip_left").boolean(),
                                             block.at("strip_right").boolean());
  if (type == "Prepend") {
    const Field prefix = block.at("prepend");
    if (prefix.text().size() > kLongestPrependBytes) prefix.refuse("at most 1024 bytes");
    return std::make_unique<PrependNormalizer>(prefix.text());
  }
  block.at("type").unsupported("is no normalizer that cairn knows");
}

}  // namespace

std::unique_ptr<Normalizer> make_lowercase_normalizer() {
  return std::make_unique<LowercaseNormalizer>();
}

std::unique_ptr<Normalizer> make_form_normalizer(std::string_view name) {
  if (name == "NFC") return std::make_unique<FormNormalizer>(NormalForm::nfc);
  if (name == "NFD") return std::make_unique<FormNormalizer>(NormalForm::nfd);
  if (name == "NFKC") return std::make_unique<FormNormalizer>(NormalForm::nfkc);
  if (name == "NFKD") return std::make_unique<FormNormalizer>(NormalForm::nfkd);
  return nullptr;
}

Normalizers read_normalizers(const Field& block) {
  Normalizers normalizers;
  for (const Field& step : read_steps(block, "normalizers")) {
    const std::string_view type = step.at("type").text();
    if (type == "BertNormalizer")
      append_bert_normalizers(step, normalizers);
    else
      normalizers.push_back(make_normalizer(type, step));
  }
  return normalizers;
}

std::string normalize(const Normalizers& normalizers, std::string_view text) {
  AlignedText current{std::string(text), {}};
  for (const auto& normalizer : normalizers) {
    if (current.text.empty() || normalizer->leaves(current.text)) continue;
    AlignedText next;
    Rewriter rewriter(current, 0, static_cast<std::uint32_t>(current.text.size()), next);
    normalizer->apply(rewriter);
    current = std::move(next);
    if (current.text.size() > kMostGrowth * text.size() + kFreeGrowthBytes)
      fail(ErrorKind::unsupported,
           "tokenizer.json: normalizer: makes an added token more than {} times as long",
           kMostGrowth);
  }
  return std::move(current.text);
}

}  // namespace cairn::text::huggingface
