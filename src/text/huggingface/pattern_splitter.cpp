#include <algorithm>
#include <optional>
#include <utility>

#include "text/huggingface/splitter.h"
#include "text/huggingface/text_pattern.h"
#include "text/pre_tokenizer.h"
#include "text/scratch_pool.h"

namespace cairn::text::huggingface {

namespace {

/// Cuts by a pattern that cairn runs for GGUF files too: every match and every gap is a word.
class FamilySplitter final : public Splitter {
 public:
  explicit FamilySplitter(const PreTokenizerRules& rules) : pre_tokenizer_(rules) {}

  void apply(PreTokenized& text) const override {
    const auto lease = scratches_.borrow();
    PreTokenizer::Scratch& scratch = *lease;
    text.cut([&](std::string_view whole, std::uint32_t begin, std::vector<Split>& splits) {
      pre_tokenizer_.split(whole, scratch);
      std::uint32_t done = 0;
      for (const std::uint32_t end : scratch.ends) {
        splits.push_back({begin + done, begin + end, TokenId(-1)});
        done = end;
      }
    });
    scratch.shrink();
  }

 private:
  PreTokenizer pre_tokenizer_;
  mutable ScratchPool<PreTokenizer::Scratch> scratches_;
};

class PatternSplitter final : public Splitter {
 public:
  explicit PatternSplitter(const Field& block)
      : pattern_(block.at("pattern")),
        behavior_(read_behavior(block.at("behavior"))),
        inverts_(block.boolean("invert", false)) {}

  void apply(PreTokenized& text) const override {
    text.cut([&](std::string_view whole, std::uint32_t begin, std::vector<Split>& splits) {
      SplitWriter writer(splits, behavior_, begin);
      const auto add = [&](std::size_t end, bool is_match) {
        writer.add(begin + static_cast<std::uint32_t>(end), is_match != inverts_);
      };
      pattern_.scan(
          whole, [&](std::size_t, std::size_t end) { add(end, false); },
          [&](std::size_t, std::size_t end) { add(end, true); });
      writer.finish();
    });
  }

 private:
  TextPattern pattern_;
  SplitBehavior behavior_;
  bool inverts_;
};

/// Bytes are what the model reads, as characters of GPT-2's alphabet unless it reads bytes itself.
class ByteLevelSplitter final : public Splitter {
 public:
  ByteLevelSplitter(const Field& block, bool leave_bytes)
      : adds_space_(block.at("add_prefix_space").boolean()), leaves_bytes_(leave_bytes) {
    if (block.boolean("use_regex", true))
      words_ = std::make_unique<FamilySplitter>(find_pre_tokenizer("gpt-2"));
  }

  void apply(PreTokenized& text) const override {
    if (adds_space_ && wants_space(text)) {
      text.rewrite([](Rewriter& rewriter, const Split&) {
        const std::string_view old = rewriter.old_text();
        old.starts_with(' ') ? rewriter.keep(old.size()) : rewriter.prepend(" ");
      });
    }
    if (words_) words_->apply(text);
    if (!leaves_bytes_)
      text.rewrite([](Rewriter& rewriter, const Split&) { write_byte_alphabet(rewriter); });
  }

 private:
  static bool wants_space(const PreTokenized& text) {
    return std::any_of(text.splits().begin(), text.splits().end(), [&](const Split& split) {
      return split.token.value < 0 && !text.text_of(split).starts_with(' ');
    });
  }

  bool adds_space_;
  bool leaves_bytes_;
  std::unique_ptr<FamilySplitter> words_;
};

/// Rules that cut as the block does, if cairn has them for GGUF files: they are faster.
std::optional<PreTokenizerRules> find_family(const Field& block) {
  const auto expression = block.at("pattern").find("Regex");
  if (!expression || block.at("behavior").text() != "Isolated") return std::nullopt;
  for (const PreTokenizerRules& rules : pre_tokenizers())
    if (rules.patterns[0] == expression->text() && rules.patterns[1].empty()) return rules;
  // As published, the time of this one grows with the square of a number's digits.
  if (expression->text() == R"((?=(\d{3})+(?!\d)))")
    return PreTokenizerRules{.names = "", .patterns = {find_pre_tokenizer("superbpe").patterns[1]}};
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Splitter> make_byte_level_splitter(const Field& block, bool leave_bytes) {
  return std::make_unique<ByteLevelSplitter>(block, leave_bytes);
}

std::unique_ptr<Splitter> make_pattern_splitter(const Field& block) {
  if (const auto family = find_family(block)) return std::make_unique<FamilySplitter>(*family);
  return std::make_unique<PatternSplitter>(block);
}

}  // namespace cairn::text::huggingface
