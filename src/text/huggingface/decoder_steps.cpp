#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "text/byte_alphabet.h"
#include "text/huggingface/decoder.h"
#include "text/huggingface/metaspace.h"
#include "text/huggingface/text_pattern.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::uint32_t kMostStripped = 1U << 20;
constexpr std::size_t kLongestContentBytes = 1024;

void replace_all(std::string& text, std::string_view old, std::string_view fresh) {
  if (old.empty() || text.find(old) == std::string::npos) return;
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(old, done)) != std::string::npos;) {
    result.append(text, done, at - done).append(fresh);
    done = at + old.size();
  }
  text = std::move(result.append(text, done));
}

/// English as it is written: no blank before a full stop.
void clean_up(std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  if (text.find(' ') == std::string::npos) return;
  for (const auto& [old, fresh] : kRules) replace_all(text, old, fresh);
}

class ByteLevelStep final : public DecoderStep {
 public:
  void apply(const DecodeState& /*state*/, std::string& text) const override {
    if (is_in_byte_alphabet(text)) text = decode_byte_alphabet(text);
  }
};

class ByteFallbackStep final : public DecoderStep {
 public:
  void apply(const DecodeState& /*state*/, std::string& text) const override {
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return;
    unsigned byte = 0;
    const char* end = text.data() + 5;
    const auto [stop, error] = std::from_chars(text.data() + 3, end, byte, 16);
    if (error == std::errc() && stop == end) text.assign(1, static_cast<char>(byte));
  }
};

class MetaspaceStep final : public DecoderStep {
 public:
  explicit MetaspaceStep(const Field& block) : metaspace_(read_metaspace(block)) {}
  void apply(const DecodeState& state, std::string& text) const override {
    const bool drops = state.at_start && metaspace_.scheme != PrependScheme::never;
    replace_all(text, metaspace_.mark, drops ? "" : " ");
  }

 private:
  Metaspace metaspace_;
};

class WordPieceStep final : public DecoderStep {
 public:
  explicit WordPieceStep(const Field& block)
      : prefix_(block.at("prefix").text()), cleans_up_(block.at("cleanup").boolean()) {}
  void apply(const DecodeState& state, std::string& text) const override {
    if (!state.at_start) {
      if (text.starts_with(prefix_))
        text.erase(0, prefix_.size());
      else
        text.insert(text.begin(), ' ');
    }
    if (cleans_up_) clean_up(text);
  }

 private:
  std::string prefix_;
  bool cleans_up_;
};

class CtcStep final : public DecoderStep {
 public:
  explicit CtcStep(const Field& block)
      : padding_(block.at("pad_token").text()),
        delimiter_(block.at("word_delimiter_token").text()),
        cleans_up_(block.at("cleanup").boolean()) {}
  void apply(const DecodeState& /*state*/, std::string& text) const override {
    replace_all(text, padding_, "");
    if (!cleans_up_) return;
    clean_up(text);
    replace_all(text, delimiter_, " ");
  }

 private:
  std::string padding_;
  std::string delimiter_;
  bool cleans_up_;
};

class ReplaceStep final : public DecoderStep {
 public:
  explicit ReplaceStep(const Field& block)
      : pattern_(block.at("pattern")), content_(block.at("content").text()) {
    if (content_.size() > kLongestContentBytes) block.at("content").refuse("at most 1024 bytes");
  }
  void apply(const DecodeState& /*state*/, std::string& text) const override {
    std::string result;
    pattern_.scan(
        text, [&](std::size_t begin, std::size_t end) { result.append(text, begin, end - begin); },
        [&](std::size_t, std::size_t) { result += content_; });
    text = std::move(result);
  }

 private:
  TextPattern pattern_;
  std::string content_;
};

class StripStep final : public DecoderStep {
 public:
  explicit StripStep(const Field& block)
      : character_(block.at("content").character()),
        start_(block.at("start").count(kMostStripped)),
        stop_(block.at("stop").count(kMostStripped)) {}
  void apply(const DecodeState& /*state*/, std::string& text) const override {
    for (std::uint32_t i = 0; i < start_ && text.starts_with(character_); ++i)
      text.erase(0, character_.size());
    for (std::uint32_t i = 0; i < stop_ && text.ends_with(character_); ++i)
      text.resize(text.size() - character_.size());
  }

 private:
  std::string character_;
  std::uint32_t start_;
  std::uint32_t stop_;
};

}  // namespace

std::unique_ptr<DecoderStep> make_decoder_step(const Field& block) {
  const std::string_view type = block.at("type").text();
  if (type == "ByteLevel") return std::make_unique<ByteLevelStep>();
  if (type == "ByteFallback") return std::make_unique<ByteFallbackStep>();
  if (type == "Metaspace") return std::make_unique<MetaspaceStep>(block);
  if (type == "WordPiece") return std::make_unique<WordPieceStep>(block);
  if (type == "CTC") return std::make_unique<CtcStep>(block);
  if (type == "Replace") return std::make_unique<ReplaceStep>(block);
  if (type == "Strip") return std::make_unique<StripStep>(block);
  return nullptr;
}

}  // namespace cairn::text::huggingface
