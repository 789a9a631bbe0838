#include <optional>
#include <string>

#include "base/error.h"
#include "text/huggingface/model.h"
#include "text/word_piece.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::uint32_t kLongestWordCharacters = 1U << 20;

TokenId read_unknown(const Field& block, const PieceIndex& index) {
  const Field unknown = block.at("unk_token");
  const auto token = index.find(unknown.text());
  if (!token) unknown.refuse("a piece of model.vocab");
  return *token;
}

std::vector<WordPieceModel::Piece> list_pieces(ModelPieces pieces) {
  std::vector<WordPieceModel::Piece> list;
  for (std::size_t i = 0; i < pieces.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    if (pieces.text_index.find(pieces.pieces[i]) == token)
      list.push_back({pieces.pieces[i], token});
  }
  return list;
}

WordPieceModel::Options read_word_piece_options(const Field& block, const PieceIndex& index) {
  return {.unknown = read_unknown(block, index),
          .longest_word_characters =
              block.at("max_input_chars_per_word").count(kLongestWordCharacters)};
}

class WordPiece final : public Model {
 public:
  WordPiece(const Field& block, ModelPieces pieces)
      : model_(list_pieces(pieces), block.at("continuing_subword_prefix").text(),
               read_word_piece_options(block, pieces.index)) {}

  void encode(std::string_view word, Scratch& /*scratch*/,
              std::vector<TokenRange>& output) const override {
    model_.encode(word, output);
  }

 private:
  WordPieceModel model_;
};

/// A word is a token or unknown.
class WordLevel final : public Model {
 public:
  WordLevel(const Field& block, ModelPieces pieces)
      : index_(pieces.text_index), unknown_(pieces.index.find(block.at("unk_token").text())) {}

  void encode(std::string_view word, Scratch& /*scratch*/,
              std::vector<TokenRange>& output) const override {
    auto token = index_.find(word);
    if (!token) token = unknown_;
    if (!token)
      fail(ErrorKind::invalid_argument,
           "the word '{}' is not in the vocabulary, whose model.unk_token is missing too",
           printable(word));
    output.push_back({*token, 0, static_cast<std::uint32_t>(word.size())});
  }

 private:
  const PieceIndex& index_;
  std::optional<TokenId> unknown_;
};

}  // namespace

std::unique_ptr<Model> make_word_piece_model(const Field& block, ModelPieces pieces) {
  return std::make_unique<WordPiece>(block, pieces);
}

std::unique_ptr<Model> make_word_level_model(const Field& block, ModelPieces pieces) {
  return std::make_unique<WordLevel>(block, pieces);
}

}  // namespace cairn::text::huggingface
