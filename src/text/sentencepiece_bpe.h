#pragma once
// SentencePiece byte-pair encoding (llama, phi-3, gemma): spaces are written U+2581, text starts as
// its characters, and the pair whose joined piece has the best score merges first. Characters
// without a piece become byte tokens ("<0x41>"), or the unknown token where there are none; so do
// bytes that are no valid UTF-8.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/merge.h"
#include "text/merge_borders.h"
#include "text/piece_cache.h"
#include "text/piece_index.h"
#include "text/scratch_pool.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace cairn::text {

class SentencePieceBpe final : public Tokenizer {
 public:
  /// Throws corrupt where scores are missing.
  explicit SentencePieceBpe(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return vocabulary().add_space_prefix; }
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  /// Where the model wants a space before the text, the text after a special token gets one too.
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  struct Scratch {
    std::string escaped;
    SymbolList symbols;
    PieceCache cache;
  };

  void fill_indices();
  void encode_text(std::string_view text, Scratch& scratch, std::vector<TokenId>& tokens) const;
  void encode_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& tokens) const;
  void merge_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& tokens) const;
  void merge_part(std::string_view part, Scratch& scratch, std::vector<TokenId>& tokens) const;
  std::size_t word_end(std::string_view text) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const;
  /// For the tokens of `text` that have no offsets yet; `escaped` is what they were made of.
  void append_offsets(std::string_view text, std::size_t begin, std::string_view escaped,
                      Encoding& output) const;
  std::size_t escaped_size(TokenId token, std::string_view rest) const;

  SpecialTokens special_tokens_;
  PieceIndex literal_index_;              // every piece
  PieceIndex merge_index_;                // pieces that text can merge to
  std::array<TokenId, 256> byte_tokens_;  // -1 where the vocabulary lacks the byte
  std::vector<char32_t> joiners_;         // characters that stand before U+2581 within a piece
  MergeBorders borders_;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text
