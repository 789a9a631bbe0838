#pragma once
// A text cut into splits by the stages before the model: added tokens, words, or what is still to
// be cut. Not thread-safe.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "text/huggingface/aligned_text.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

/// What becomes of the matches that cut a text, as in the `tokenizers` library; for "-" in
/// "the-final--countdown":
///   removed               the | final | countdown
///   isolated              the | - | final | - | - | countdown
///   merged_with_previous  the- | final- | - | countdown
///   merged_with_next      the | -final | - | -countdown
///   contiguous            the | - | final | -- | countdown
enum class SplitBehavior : std::uint8_t {
  removed,
  isolated,
  merged_with_previous,
  merged_with_next,
  contiguous,
};

/// Small: a text of many short words has one for each.
struct Split {
  std::uint32_t begin = 0;  // in the text of the stage: [begin, end); an added token has no text
  std::uint32_t end = 0;
  TokenId token{-1};  // an added token: no stage touches it
};

/// Turns the matches and gaps of one split, told in order, into splits.
class SplitWriter {
 public:
  SplitWriter(std::vector<Split>& splits, SplitBehavior behavior, std::uint32_t begin)
      : splits_(splits), behavior_(behavior), done_(begin) {}

  /// The text up to `end` is a match or a gap between matches. May be empty.
  void add(std::uint32_t end, bool is_match);
  void finish() { flush(); }

 private:
  bool joins(bool is_match) const;
  void flush();

  std::vector<Split>& splits_;
  SplitBehavior behavior_;
  std::uint32_t done_;
  Split last_;
  bool has_last_ = false;
  bool last_is_kept_ = false;
  bool last_was_match_ = false;
};

class PreTokenized {
 public:
  /// One split of the whole of `text`, invalid UTF-8 read as U+FFFD. `aligned`: offsets are wanted.
  void assign(std::string_view text, bool aligned);

  const std::vector<Split>& splits() const { return splits_; }
  std::string_view text_of(const Split& split) const {
    return std::string_view(current_.text).substr(split.begin, split.end - split.begin);
  }
  bool aligned() const { return aligned_; }
  /// The source of [begin, end) of the stage's text; needs alignment.
  TokenOffsets source_of(std::uint32_t begin, std::uint32_t end) const;

  /// An added token that stands for [begin, end) of the stage's text.
  Split token_split(TokenId token, std::uint32_t begin, std::uint32_t end);
  /// Where an added token stood in the source; needs alignment.
  TokenOffsets source_of_token(const Split& token) const { return token_sources_[token.begin]; }

  /// `change(rewriter)` writes the new text of each split that is no token; empty ones go.
  template <class Change>
  void rewrite(const Change& change);
  /// `cut(text, begin, splits)` appends what becomes of each split that is no token: splits of
  /// `text`, which begins at `begin`.
  template <class Cut>
  void cut(const Cut& cut);
  /// Cuts at the characters that `matches` names.
  template <class Matches>
  void cut_at(const Matches& matches, SplitBehavior behavior);

  /// Throws unsupported where the text has grown too long.
  void check_growth() const;
  void shrink();  // gives back the memory of an unusually long text

 private:
  AlignedText current_;
  AlignedText next_;
  std::vector<Split> splits_;
  std::vector<Split> next_splits_;
  std::vector<TokenOffsets> token_sources_;  // by Split::begin of an added token
  std::size_t source_bytes_ = 0;
  bool aligned_ = false;
};

template <class Change>
void PreTokenized::rewrite(const Change& change) {
  next_.text.clear();
  next_.sources.clear();
  next_splits_.clear();
  for (const Split& split : splits_) {
    if (split.token.value >= 0) {
      next_splits_.push_back(split);
      continue;
    }
    const auto begin = static_cast<std::uint32_t>(next_.text.size());
    Rewriter rewriter(current_, split.begin, split.end, next_);
    change(rewriter, split);
    const auto end = static_cast<std::uint32_t>(next_.text.size());
    if (end > begin) next_splits_.push_back({begin, end, TokenId(-1)});
  }
  std::swap(current_, next_);
  std::swap(splits_, next_splits_);
}

template <class Cut>
void PreTokenized::cut(const Cut& cut) {
  next_splits_.clear();
  for (const Split& split : splits_) {
    if (split.token.value >= 0)
      next_splits_.push_back(split);
    else
      cut(text_of(split), split.begin, next_splits_);
  }
  std::swap(splits_, next_splits_);
}

template <class Matches>
void PreTokenized::cut_at(const Matches& matches, SplitBehavior behavior) {
  cut([&](std::string_view text, std::uint32_t begin, std::vector<Split>& splits) {
    SplitWriter writer(splits, behavior, begin);
    std::size_t gap = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size_bytes = next_utf8(text.substr(at)).size_bytes;
      if (matches(decode_utf8(text.substr(at, size_bytes)))) {
        if (at > gap) writer.add(begin + static_cast<std::uint32_t>(at), false);
        gap = at + size_bytes;
        writer.add(begin + static_cast<std::uint32_t>(gap), true);
      }
      at += size_bytes;
    }
    if (gap < text.size()) writer.add(begin + static_cast<std::uint32_t>(text.size()), false);
    writer.finish();
  });
}

}  // namespace cairn::text::huggingface
