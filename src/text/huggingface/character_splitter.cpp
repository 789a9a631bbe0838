#include <algorithm>

#include "text/huggingface/splitter.h"
#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

/// Cuts at every character that `matches`.
template <bool (*matches)(char32_t)>
class ClassSplitter final : public Splitter {
 public:
  explicit ClassSplitter(SplitBehavior behavior) : behavior_(behavior) {}
  void apply(PreTokenized& text) const override {
    text.cut_at([](char32_t c) { return matches(c); }, behavior_);
  }

 private:
  SplitBehavior behavior_;
};

using WhiteSpaceSplitter = ClassSplitter<is_white_space>;
using PunctuationSplitter = ClassSplitter<is_punctuation>;
using DigitSplitter = ClassSplitter<is_numeric>;

class BertSplitter final : public Splitter {
 public:
  void apply(PreTokenized& text) const override {
    white_space_.apply(text);
    punctuation_.apply(text);
  }

 private:
  WhiteSpaceSplitter white_space_{SplitBehavior::removed};
  PunctuationSplitter punctuation_{SplitBehavior::isolated};
};

class DelimiterSplitter final : public Splitter {
 public:
  explicit DelimiterSplitter(char32_t delimiter) : delimiter_(delimiter) {}
  void apply(PreTokenized& text) const override {
    text.cut_at([&](char32_t c) { return c == delimiter_; }, SplitBehavior::removed);
  }

 private:
  char32_t delimiter_;
};

/// Runs of word characters and runs of what is neither word nor white space.
class WordSplitter final : public Splitter {
 public:
  void apply(PreTokenized& text) const override {
    text.cut([](std::string_view whole, std::uint32_t begin, std::vector<Split>& splits) {
      Kind last = Kind::space;
      for (std::size_t at = 0; at < whole.size();) {
        const std::size_t size_bytes = next_utf8(whole.substr(at)).size_bytes;
        const Kind kind = kind_of(decode_utf8(whole.substr(at, size_bytes)));
        const auto first = begin + static_cast<std::uint32_t>(at);
        at += size_bytes;
        const auto end = begin + static_cast<std::uint32_t>(at);
        if (kind != Kind::space && kind == last)
          splits.back().end = end;
        else if (kind != Kind::space)
          splits.push_back({first, end, TokenId(-1)});
        last = kind;
      }
    });
  }

 private:
  enum class Kind : std::uint8_t { space, word, other };
  static Kind kind_of(char32_t c) {
    if (is_word(c)) return Kind::word;
    return is_white_space(c) ? Kind::space : Kind::other;
  }
};

class FixedLengthSplitter final : public Splitter {
 public:
  explicit FixedLengthSplitter(std::uint32_t length) : length_(length) {}
  void apply(PreTokenized& text) const override {
    text.cut([&](std::string_view whole, std::uint32_t begin, std::vector<Split>& splits) {
      std::uint32_t count = length_;
      for (std::size_t at = 0; at < whole.size();) {
        const auto first = begin + static_cast<std::uint32_t>(at);
        at += next_utf8(whole.substr(at)).size_bytes;
        if (count++ == length_) {
          splits.push_back({first, first, TokenId(-1)});
          count = 1;
        }
        splits.back().end = begin + static_cast<std::uint32_t>(at);
      }
    });
  }

 private:
  std::uint32_t length_;
};

}  // namespace

std::unique_ptr<Splitter> make_character_splitter(const Field& block) {
  const std::string_view type = block.at("type").text();
  if (type == "BertPreTokenizer") return std::make_unique<BertSplitter>();
  if (type == "Whitespace") return std::make_unique<WordSplitter>();
  if (type == "WhitespaceSplit")
    return std::make_unique<WhiteSpaceSplitter>(SplitBehavior::removed);
  if (type == "CharDelimiterSplit")
    return std::make_unique<DelimiterSplitter>(decode_utf8(block.at("delimiter").character()));
  if (type == "Punctuation") {
    const auto behavior = block.find("behavior");
    return std::make_unique<PunctuationSplitter>(behavior ? read_behavior(*behavior)
                                                          : SplitBehavior::isolated);
  }
  if (type == "Digits")
    return std::make_unique<DigitSplitter>(block.at("individual_digits").boolean()
                                               ? SplitBehavior::isolated
                                               : SplitBehavior::contiguous);
  if (type == "FixedLength") {
    const auto length = block.find("length");
    const std::uint32_t characters = length ? length->count(1U << 20) : 5;
    if (characters == 0) length->refuse("at least 1");
    return std::make_unique<FixedLengthSplitter>(characters);
  }
  return nullptr;
}

}  // namespace cairn::text::huggingface
