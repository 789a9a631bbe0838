#pragma once
// A tokenizer as SentencePiece itself runs it: normalizer, then one of its four models. For
// tokenizer.model files and for T5 in GGUF; llama's GGUF vocabularies, which carry no normalizer,
// have SentencePieceBpe.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/byte_pieces.h"
#include "text/piece_index.h"
#include "text/scored_bpe.h"
#include "text/scratch_pool.h"
#include "text/sentencepiece_normalizer.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"
#include "text/unigram.h"

namespace cairn::text {

/// The names of the models in Vocabulary::model. T5 is a unigram model whose user-defined tokens
/// part the text before it is normalized; with the others they are part of the normalized text.
inline constexpr std::string_view kT5Model = "t5";
inline constexpr std::string_view kUnigramModel = "sentencepiece_unigram";
inline constexpr std::string_view kScoredBpeModel = "sentencepiece_bpe";
inline constexpr std::string_view kWordModel = "sentencepiece_word";
inline constexpr std::string_view kCharacterModel = "sentencepiece_char";

class SentencePieceTokenizer final : public Tokenizer {
 public:
  static bool knows(std::string_view model);

  /// Throws corrupt where scores, the unknown token, or byte tokens that the rules want are
  /// missing.
  explicit SentencePieceTokenizer(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override;
  /// Drops the first piece's mark only; where extra spaces are removed, all until text comes.
  void decode_next(TokenId token, bool show_control, DecodeState& state,
                   std::string& bytes) const override;
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  struct WordModel {};
  struct CharacterModel {};
  using Model = std::variant<UnigramModel, ScoredBpeModel, WordModel, CharacterModel>;
  struct Scratch {
    NormalizedText normalized;
    std::vector<TokenRange> ranges;
    UnigramModel::Scratch unigram;
    ScoredBpeModel::Scratch bpe;
  };

  static Model make_model(const Vocabulary& vocabulary);
  void fill_indices();
  void encode_text(std::string_view text, std::size_t begin, Scratch& scratch, Encoding& output,
                   bool with_offsets) const;
  void find_pieces(std::string_view normalized, Scratch& scratch) const;
  void find_words(std::string_view normalized, std::vector<TokenRange>& ranges) const;
  void find_characters(std::string_view normalized, std::vector<TokenRange>& ranges) const;
  TokenRange whole(std::string_view normalized, std::size_t begin, std::size_t end) const;

  SpecialTokens special_tokens_;
  SentencePieceNormalizer normalizer_;
  Model model_;
  ByteTokens byte_tokens_;
  PieceIndex literal_index_;  // every piece
  PieceIndex text_index_;     // those that text can become
  TokenId unknown_;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text
