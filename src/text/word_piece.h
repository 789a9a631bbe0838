#pragma once
// WordPiece (Schuster and Nakajima 2012, as BERT uses it): a word becomes its longest piece, then
// the longest that continues it, and so on; a word that cannot be finished is one unknown token.
// Knows nothing of files and normalization. Immutable, thread-safe.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/piece_trie.h"
#include "text/token_range.h"

namespace cairn::text {

class WordPieceModel {
 public:
  struct Piece {
    std::string_view bytes;
    TokenId token;
  };
  struct Options {
    TokenId unknown{-1};
    std::size_t longest_word_characters = 100;  // longer words are unknown
  };

  /// `first` begin words, `rest` continue them (without the mark that says so, "##").
  WordPieceModel(std::span<const Piece> first, std::span<const Piece> rest, Options options);
  /// Every piece begins words; those with `prefix` ("##", or nothing) continue them.
  WordPieceModel(std::span<const Piece> pieces, std::string_view prefix, Options options);

  /// Appends the tokens of one word (valid UTF-8, not empty) with their bytes.
  void encode(std::string_view word, std::vector<TokenRange>& output) const;

 private:
  bool append_pieces(std::string_view word, std::vector<TokenRange>& output) const;

  PieceTrie first_;
  PieceTrie rest_;
  Options options_;
};

}  // namespace cairn::text
