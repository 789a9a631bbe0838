#pragma once
// Tokens that are found in text as they stand, before the tokenizer's algorithm runs. Leftmost,
// then longest, wins. Immutable, thread-safe.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/vocabulary.h"

namespace cairn::text {

class SpecialTokens {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId token;
  };

  /// User-defined tokens; with `with_control`, control and unknown tokens too. `vocabulary` must
  /// outlive this.
  SpecialTokens(const Vocabulary& vocabulary, bool with_control);

  /// The first match at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  struct Entry {
    std::string_view piece;
    TokenId token;
  };
  std::optional<Match> match_at(std::string_view text, std::size_t begin) const;

  std::vector<Entry> entries_;  // sorted by piece: a walk narrows a range byte by byte
  std::array<std::uint32_t, 257>
      first_{};  // entries that begin with byte b: [first_[b], first_[b+1])
};

}  // namespace cairn::text
