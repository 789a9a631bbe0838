#pragma once
// A regular expression that cuts text into pieces, on PCRE2's JIT with Unicode properties; the most
// used ones have a scanner of their own for ASCII. `\s` is
// Unicode's White_Space, as in the engines that the tokenizers were trained with.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "text/ascii_scanner.h"
#include "text/encoding.h"

namespace cairn::text {

/// What a match needs to work in; reused from call to call. Not thread-safe.
class PatternScratch {
 public:
  PatternScratch();
  ~PatternScratch();
  PatternScratch(PatternScratch&&) noexcept;
  PatternScratch& operator=(PatternScratch&&) noexcept;

 private:
  friend class Pattern;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Immutable, thread-safe.
class Pattern {
 public:
  /// Throws invalid_argument if the expression is none.
  explicit Pattern(std::string_view expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  /// Every match and every gap between matches is a piece: appends `offset` + its end. `text` must
  /// be valid UTF-8; it is all the expression sees.
  void split(std::string_view text, std::uint32_t offset, PatternScratch& scratch,
             std::vector<std::uint32_t>& ends) const;

  /// The first match in `text` (valid UTF-8) at or after `from`; may be empty.
  std::optional<TextRange> find(std::string_view text, std::size_t from,
                                PatternScratch& scratch) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
  AsciiScanner scanner_;  // the same for ASCII, or null
};

}  // namespace cairn::text
