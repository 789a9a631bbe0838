#pragma once
// What Split and Replace look for: {"String": ...} or {"Regex": ...}. Immutable, thread-safe.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/huggingface/json_document.h"
#include "text/pattern.h"
#include "text/scratch_pool.h"

namespace cairn::text::huggingface {

class TextPattern {
 public:
  /// Throws with the path where the pattern is empty, wrong or has no equal in PCRE2.
  explicit TextPattern(const Field& pattern);
  /// The expression, written for Oniguruma.
  explicit TextPattern(std::string_view expression);

  /// `on_gap(begin, end)` for each stretch between matches (not empty), `on_match(begin, end)` for
  /// each match (possibly empty), in order; together they cover `text` (valid UTF-8).
  template <class OnGap, class OnMatch>
  void scan(std::string_view text, const OnGap& on_gap, const OnMatch& on_match) const;

 private:
  /// Finds one match after the other. An empty one never touches the one before.
  class Cursor {
   public:
    Cursor(const TextPattern& pattern, std::string_view text, PatternScratch& scratch)
        : pattern_(pattern), text_(text), scratch_(scratch) {}
    std::optional<TextRange> next();

   private:
    const TextPattern& pattern_;
    std::string_view text_;
    PatternScratch& scratch_;
    std::size_t from_ = 0;
    std::optional<std::size_t> last_end_;
  };

  std::string literal_;             // where it is no expression
  std::unique_ptr<Pattern> regex_;  // else
  mutable ScratchPool<PatternScratch> scratches_;
};

template <class OnGap, class OnMatch>
void TextPattern::scan(std::string_view text, const OnGap& on_gap, const OnMatch& on_match) const {
  const auto lease = scratches_.borrow();
  Cursor cursor(*this, text, *lease);
  std::size_t done = 0;
  while (const auto match = cursor.next()) {
    if (match->begin > done) on_gap(done, match->begin);
    on_match(match->begin, match->end);
    done = match->end;
  }
  if (done < text.size()) on_gap(done, text.size());
}

}  // namespace cairn::text::huggingface
