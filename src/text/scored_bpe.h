#pragma once
// SentencePiece's byte-pair model: text starts as its characters, and of all neighbours whose
// joined text is a piece those with the best score are joined first. User-defined pieces are never
// joined; unused ones come apart again. Knows nothing of files and normalization. Immutable,
// thread-safe; a scratch serves one call at a time.

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "text/merge.h"
#include "text/piece_index.h"
#include "text/piece_trie.h"
#include "text/space_borders.h"
#include "text/token_range.h"

namespace cairn::text {

class ScoredBpeModel {
 public:
  enum class Use : std::uint8_t { normal, user_defined, unused };
  struct Piece {
    std::string_view bytes;  // must outlive the model
    float score = 0;
    TokenId token;
    Use use = Use::normal;
  };
  struct Scratch {
    SymbolList symbols;
    std::unordered_map<std::int32_t, std::uint32_t> left_bytes;  // of unused pieces, by piece
    std::vector<TokenRange> apart;
  };

  /// Characters without a piece become `unknown`.
  ScoredBpeModel(std::span<const Piece> pieces, TokenId unknown);

  /// Appends the tokens of `text` (valid UTF-8) with their bytes. O(n log n) in the longest stretch
  /// without a border that no piece crosses (words).
  void encode(std::string_view text, Scratch& scratch, std::vector<TokenRange>& output) const;

 private:
  void encode_word(std::string_view text, std::uint32_t begin, std::uint32_t end, Scratch& scratch,
                   std::vector<TokenRange>& output) const;
  void append_apart(TokenRange range, std::string_view text, Scratch& scratch,
                    std::vector<TokenRange>& output) const;
  const Piece& piece(TokenId index) const { return pieces_[static_cast<std::size_t>(index.value)]; }

  std::vector<Piece> pieces_;
  PieceIndex index_;        // text -> index into pieces_
  PieceTrie user_defined_;  // likewise
  SpaceBorders borders_;
  bool has_unused_ = false;
  TokenId unknown_;
};

}  // namespace cairn::text
