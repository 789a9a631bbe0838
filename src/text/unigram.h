#pragma once
// Unigram language model (Kudo 2018): of all ways to write a text as pieces, the one whose scores
// sum highest, by Viterbi in O(bytes x longest piece). Knows nothing of files and normalization.
// Immutable, thread-safe; a scratch serves one call at a time.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/ids.h"
#include "text/piece_trie.h"
#include "text/token_range.h"

namespace cairn::text {

class UnigramModel {
 public:
  /// An unknown character scores this much below the worst piece.
  static constexpr double kUnknownPenalty = 10;

  struct Piece {
    std::string_view bytes;
    double score = 0;  // a log probability
    TokenId token;
  };
  /// How sums are kept, which decides near ties: SentencePiece keeps floats, the `tokenizers`
  /// library doubles.
  enum class Sums : std::uint8_t { as_float, as_double };
  struct Options {
    TokenId unknown{-1};       // what a character without a piece becomes
    double unknown_score = 0;  // the worst score less kUnknownPenalty
    Sums sums = Sums::as_float;
    bool fuse_unknown = true;  // unknown characters in a row are one token
  };
  class Scratch;

  /// `pieces` are those that text may become; of equal ones the last counts. Throws corrupt where
  /// one is too long or a score is not finite.
  UnigramModel(std::span<const Piece> pieces, Options options);

  /// Appends the tokens of `text` (valid UTF-8) with their bytes. Memory beyond that is bounded
  /// where pieces leave gaps (words), else 4 bytes a byte of text.
  void encode(std::string_view text, Scratch& scratch, std::vector<TokenRange>& output) const;

  using TakeRanges = base::FunctionRef<void(std::span<const TokenRange>)>;
  /// The same tokens in batches, each of which is gone when `take` returns: a long text costs no
  /// memory of its own.
  void encode_batches(std::string_view text, Scratch& scratch, TakeRanges take) const;

  std::size_t longest_piece_bytes() const { return trie_.longest_bytes(); }

 private:
  struct Entry {
    double score = 0;
    TokenId token;
    std::uint32_t size_bytes = 0;
  };
  template <class Sum>
  void search(std::string_view text, Scratch& scratch, TakeRanges take) const;
  void append_best(std::size_t begin, std::size_t end, Scratch& scratch) const;
  void give(Scratch& scratch, TakeRanges take, bool is_last) const;

  std::vector<Entry> entries_;
  PieceTrie trie_;  // piece -> index into entries_
  Options options_;
};

/// Working memory, reused so that a warm call allocates nothing.
class UnigramModel::Scratch {
 public:
  void shrink();  // gives back the memory of an unusually long text

 private:
  friend class UnigramModel;
  std::vector<std::int32_t> last_;  // by end of a path: how it ends (unigram.cpp)
  std::vector<double> sums_;        // by end of a path, modulo the size: only a window is alive
  std::vector<TokenRange> batch_;   // decided and not given away yet
};

}  // namespace cairn::text
