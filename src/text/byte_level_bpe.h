#pragma once
// Byte-level byte-pair encoding (GPT-2 and most models since): text is cut by patterns, each piece
// starts as its bytes and is merged by rank. Every byte string can be encoded; bytes that are no
// valid UTF-8 take no part in patterns and merges and become their single-byte tokens. A byte that
// the vocabulary has no token for is dropped, as in training.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_pair_merger.h"
#include "text/merge.h"
#include "text/normalize.h"
#include "text/piece_cache.h"
#include "text/piece_index.h"
#include "text/pre_tokenizer.h"
#include "text/scratch_pool.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace cairn::text {

class ByteLevelBpe final : public Tokenizer {
 public:
  /// Throws corrupt where a merge is none, unsupported where the pre-tokenizer is not known.
  explicit ByteLevelBpe(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return false; }
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  struct Scratch {
    PreTokenizer::Scratch cut;
    SymbolList symbols;
    PieceCache cache;
    PieceCache part_cache;  // what merges give for parts of pieces
    std::string composed;
    std::vector<ComposedRange> changes;
  };

  std::string_view bytes_of(TokenId token) const {
    return bytes_[static_cast<std::size_t>(token.value)];
  }
  void fill_indices();
  BytePairMerger read_merges() const;
  /// `begin` is where `text` stands in the input.
  void encode_text(std::string_view text, std::size_t begin, bool with_offsets, Scratch& scratch,
                   Encoding& output) const;
  void encode_valid(std::string_view text, std::size_t begin, bool with_offsets, Scratch& scratch,
                    Encoding& output) const;
  void encode_piece(std::string_view piece, Scratch& scratch, std::vector<TokenId>& tokens) const;
  void merge_piece(std::string_view piece, Scratch& scratch, std::vector<TokenId>& tokens) const;
  /// `is_piece`: the part is a whole piece, which another cache remembers.
  void encode_part(std::string_view part, bool is_piece, Scratch& scratch,
                   std::vector<TokenId>& tokens) const;
  /// For the tokens of `piece` that have no offsets yet.
  void append_offsets(std::string_view piece, std::size_t begin, Encoding& output) const;

  const PreTokenizerRules& rules_;
  PreTokenizer pre_tokenizer_;
  SpecialTokens special_tokens_;
  std::vector<std::string> bytes_;  // by TokenId: what the piece stands for
  PieceIndex literal_index_;        // by the piece as it is written
  PieceIndex byte_index_;           // the same by what they stand for, to ignore merges
  std::optional<BytePairMerger> merger_;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text
