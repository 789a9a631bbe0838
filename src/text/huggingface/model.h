#pragma once
// The `model` block of a tokenizer.json: a word to tokens. Immutable, thread-safe; a scratch serves
// one call at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/huggingface/json_document.h"
#include "text/merge.h"
#include "text/piece_cache.h"
#include "text/piece_index.h"
#include "text/token_range.h"
#include "text/unigram.h"

namespace cairn::text::huggingface {

class Model {
 public:
  /// Working memory of any model, reused so that a warm call allocates nothing.
  struct Scratch {
    SymbolList symbols;
    UnigramModel::Scratch unigram;
    std::vector<TokenRange> tokens;
    std::string piece;
    PieceCache part_cache;  // what merging gives for parts of words
    void shrink();
  };

  virtual ~Model() = default;
  /// Appends the tokens of `word` (valid UTF-8, not empty) with their bytes. Throws
  /// invalid_argument for text that the model has no token for.
  virtual void encode(std::string_view word, Scratch& scratch,
                      std::vector<TokenRange>& output) const = 0;
  /// The same without bytes, and faster where words are long.
  virtual void encode_tokens(std::string_view word, Scratch& scratch,
                             std::vector<TokenId>& tokens) const;
  /// Whether an unknown token is called what the text was, rather than by its own piece.
  virtual bool names_unknown_by_text() const { return false; }
};

/// The pieces of a model: what a reader of models gets.
struct ModelPieces {
  const std::vector<std::string>& pieces;  // by TokenId
  const PieceIndex& index;                 // by what they are called
  /// By the text that becomes them: no control tokens, which no text may become (the `tokenizers`
  /// library lets Unigram and WordLevel models read "</s>" as the token).
  const PieceIndex& text_index;
};

/// All throw unsupported or corrupt with the path, and borrow `pieces`.
std::unique_ptr<Model> make_bpe_model(const Field& block, ModelPieces pieces);
/// Words are bytes, pieces are written in GPT-2's alphabet.
std::unique_ptr<Model> make_byte_bpe_model(const Field& block, ModelPieces pieces);
std::unique_ptr<Model> make_unigram_model(const Field& block, ModelPieces pieces);
std::unique_ptr<Model> make_word_piece_model(const Field& block, ModelPieces pieces);
std::unique_ptr<Model> make_word_level_model(const Field& block, ModelPieces pieces);

/// Whether the BPE of `block` has a token for every byte and no option that looks at characters, so
/// that it may read bytes.
bool can_read_bytes(const Field& block, ModelPieces pieces);

/// The token of "<0x41>", or -1.
TokenId find_byte_token(const PieceIndex& index, std::uint8_t byte);

}  // namespace cairn::text::huggingface
