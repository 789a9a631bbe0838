#pragma once
// Where text with spaces written U+2581 can be cut into words before it is merged: before a mark,
// unless some piece contains that very border. Exact: merging the words gives the tokens of the
// whole. Thread-safe once filled.

#include <cstddef>
#include <string_view>
#include <vector>

namespace cairn::text {

class SpaceBorders {
 public:
  /// Text may become this piece.
  void add(std::string_view piece);
  /// After the last add().
  void finish();

  /// How many bytes of `text` (valid UTF-8, not empty) the first word has.
  std::size_t word_bytes(std::string_view text) const;

 private:
  std::vector<char32_t> joiners_;  // characters that stand before U+2581 within a piece
};

}  // namespace cairn::text
