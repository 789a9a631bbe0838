#pragma once
// Tokens that are found in text as they stand, before the tokenizer's algorithm runs. Leftmost,
// then longest, wins. Immutable, thread-safe.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/encoding.h"
#include "text/vocabulary.h"

namespace cairn::text {

class SpecialTokens {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId token;
  };

  /// User-defined (if wanted), control and unknown tokens. `vocabulary` must outlive this.
  explicit SpecialTokens(const Vocabulary& vocabulary, bool with_user_defined = true);

  /// The first match at or after `from`: of user-defined tokens anywhere, of control and unknown
  /// tokens wholly inside one of `control_ranges` (ascending, disjoint). A token that swallows the
  /// white space beside it (Vocabulary::strip_left, strip_right) matches with it, never before
  /// `from`.
  std::optional<Match> find(std::string_view text, std::size_t from,
                            std::span<const TextRange> control_ranges) const;

 private:
  struct Entry {
    std::string_view piece;
    TokenId token;
    bool is_control = false;
    bool strips_left = false;
    bool strips_right = false;
  };
  const Entry* match_at(std::string_view text, std::size_t begin,
                        std::span<const TextRange> control_ranges) const;

  std::vector<Entry> entries_;  // sorted by piece: a walk narrows a range byte by byte
  std::array<std::uint32_t, 257>
      first_{};  // entries that begin with byte b: [first_[b], first_[b+1])
  std::array<bool, 256> begins_any_{};
  std::array<bool, 256> begins_user_defined_{};
  bool has_user_defined_ = false;
};

}  // namespace cairn::text
