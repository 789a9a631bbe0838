#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/error.h"
#include "text/huggingface/model.h"

namespace cairn::text::huggingface {

namespace {

constexpr TokenId kNone{-1};

struct PieceList {
  std::vector<UnigramModel::Piece> pieces;
  double worst_score = std::numeric_limits<double>::infinity();
};

/// [["piece", score], ...], whose positions are the tokens.
PieceList read_pieces(const Field& vocab, const std::vector<std::string>& texts) {
  PieceList list;
  for (const Field entry : vocab.items()) {
    auto item = entry.items().begin();
    ++item;
    const double score = (*item).number();
    const TokenId token(static_cast<std::int32_t>(list.pieces.size()));
    list.pieces.push_back({texts[list.pieces.size()], score, token});
    list.worst_score = std::min(list.worst_score, score);
  }
  return list;
}

TokenId read_unknown(const Field& block, std::size_t piece_count) {
  const auto unknown = block.find("unk_id");
  if (!unknown) return kNone;
  return TokenId(
      static_cast<std::int32_t>(unknown->count(static_cast<std::uint32_t>(piece_count) - 1)));
}

UnigramModel make_unigram(const PieceList& list, const PieceIndex& text_index, TokenId unknown) {
  std::vector<UnigramModel::Piece> readable;
  for (const UnigramModel::Piece& piece : list.pieces)
    if (!piece.bytes.empty() && text_index.find(piece.bytes)) readable.push_back(piece);
  return {readable,
          {.unknown = unknown,
           .unknown_score = list.worst_score - UnigramModel::kUnknownPenalty,
           .sums = UnigramModel::Sums::as_double}};
}

class Unigram final : public Model {
 public:
  Unigram(const Field& block, ModelPieces pieces, const PieceList& list)
      : unknown_(read_unknown(block, list.pieces.size())),
        model_(make_unigram(list, pieces.text_index, unknown_)) {
    byte_tokens_.fill(kNone);
    if (unknown_ != kNone) unknown_text_ = pieces.pieces[static_cast<std::size_t>(unknown_.value)];
    if (!block.boolean("byte_fallback", false)) return;
    for (std::size_t byte = 0; byte < 256; ++byte)
      byte_tokens_[byte] = find_byte_token(pieces.text_index, static_cast<std::uint8_t>(byte));
  }

  void encode(std::string_view word, Scratch& scratch,
              std::vector<TokenRange>& output) const override {
    model_.encode_batches(word, scratch.unigram, [&](std::span<const TokenRange> ranges) {
      for (const TokenRange& range : ranges) {
        if (range.token != unknown_)
          output.push_back(range);
        else
          append_unknown(word, range, output);
      }
    });
  }

  void encode_tokens(std::string_view word, Scratch& scratch,
                     std::vector<TokenId>& tokens) const override {
    model_.encode_batches(word, scratch.unigram, [&](std::span<const TokenRange> ranges) {
      for (const TokenRange& range : ranges) {
        if (range.token != unknown_)
          tokens.push_back(range.token);
        else
          append_unknown(word, range, tokens);
      }
    });
  }

  bool names_unknown_by_text() const override { return true; }

 private:
  static void append(TokenId token, const TokenRange& range, std::vector<TokenRange>& output) {
    output.push_back({token, range.begin, range.end});
  }
  static void append(TokenId token, const TokenRange& /*range*/, std::vector<TokenId>& output) {
    output.push_back(token);
  }

  /// Its bytes, each of which stands for the whole, or the unknown token.
  template <class Token>
  void append_unknown(std::string_view word, const TokenRange& range,
                      std::vector<Token>& output) const {
    const std::string_view text = word.substr(range.begin, range.end - range.begin);
    const auto token_of = [&](char c) { return byte_tokens_[static_cast<std::uint8_t>(c)]; };
    const bool is_literal = unknown_ != kNone && text == unknown_text_;
    if (!is_literal &&
        std::all_of(text.begin(), text.end(), [&](char c) { return token_of(c) != kNone; })) {
      for (const char c : text) append(token_of(c), range, output);
      return;
    }
    if (unknown_ == kNone)
      fail(ErrorKind::invalid_argument,
           "'{}' has no piece in the vocabulary, whose model.unk_id is missing too",
           printable(text));
    append(unknown_, range, output);
  }

  TokenId unknown_;
  std::string_view unknown_text_;  // may stand in a text
  std::array<TokenId, 256> byte_tokens_;
  UnigramModel model_;
};

}  // namespace

std::unique_ptr<Model> make_unigram_model(const Field& block, ModelPieces pieces) {
  const PieceList list = read_pieces(block.at("vocab"), pieces.pieces);
  return std::make_unique<Unigram>(block, pieces, list);
}

}  // namespace cairn::text::huggingface
