#pragma once
// BERT's tokenizer, as GGUF vocabularies carry it: text is cleaned and cut into words and
// punctuation marks, and each word becomes its longest pieces (word_piece.h). Pieces that begin a
// word are written with U+2581 before them. White space, controls and accents leave no token.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_index.h"
#include "text/scratch_pool.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"
#include "text/word_piece.h"

namespace cairn::text {

class BertTokenizer final : public Tokenizer {
 public:
  /// Throws corrupt where the vocabulary has no unknown token.
  explicit BertTokenizer(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return true; }
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  class WordWriter;
  struct Scratch {
    std::string word;
    std::vector<TokenOffsets> sources;  // by byte of the word
    std::vector<TokenRange> ranges;
  };

  void encode_text(std::string_view text, std::size_t begin, WordWriter& writer) const;

  SpecialTokens special_tokens_;
  WordPieceModel model_;
  PieceIndex literal_index_;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text
