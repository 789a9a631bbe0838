#pragma once
// What SentencePiece does to text before it looks for pieces: compiled rules (NFKC and the like),
// spaces written U+2581, one of them put before (or after) the text, extra ones removed. Invalid
// bytes become U+FFFD each. User-defined pieces stay as they are. Immutable, thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_trie.h"
#include "text/precompiled_map.h"
#include "text/vocabulary.h"

namespace cairn::text {

struct NormalizedText {
  std::string text;                    // valid UTF-8, if user-defined pieces are
  std::vector<std::uint32_t> sources;  // by byte of `text` and for its end: the source's byte

  void shrink();  // gives back the memory of an unusually long text
};

class SentencePieceNormalizer {
 public:
  /// `vocabulary` must outlive this. Throws corrupt where its compiled rules are none.
  explicit SentencePieceNormalizer(const Vocabulary& vocabulary);

  /// Replaces `result`; its sources are filled `with_sources` only. Throws invalid_argument where
  /// the normalized text is too long for 32-bit offsets.
  void normalize(std::string_view text, bool with_sources, NormalizedText& result) const;

  /// The longest user-defined piece that begins `text`: its bytes, or 0.
  std::size_t user_defined_bytes(std::string_view text) const;

 private:
  struct Step {
    std::size_t size_bytes = 0;  // of the source
    std::string_view text;       // what it becomes, before spaces are written U+2581
  };
  class Writer;

  Step next(std::string_view text) const;

  SentencePieceRules rules_;
  bool add_space_ = false;
  PrecompiledMap map_;
  PieceTrie user_defined_;
};

}  // namespace cairn::text
