#include "text/sentencepiece_tokenizer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "text/segments.h"
#include "text/space_mark.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

bool is_text(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::user_defined || kind == TokenKind::unused;
}

TokenId unknown_of(const Vocabulary& vocabulary) {
  if (!vocabulary.unknown)
    fail(ErrorKind::corrupt, "vocabulary: found no unknown token, expected one");
  return *vocabulary.unknown;
}

/// User-defined pieces always win: their scores depend on their length alone.
double user_defined_score(std::size_t size_bytes, float best_score) {
  return static_cast<double>(static_cast<float>(size_bytes) * best_score) - 0.1;
}

UnigramModel make_unigram(const Vocabulary& vocabulary) {
  float worst = std::numeric_limits<float>::max();
  float best = std::numeric_limits<float>::min();  // not lowest(): so SentencePiece has it
  for (std::size_t i = 0; i < vocabulary.pieces.size(); ++i) {
    if (kind_of(vocabulary, TokenId(static_cast<std::int32_t>(i))) != TokenKind::normal) continue;
    worst = std::min(worst, vocabulary.scores[i]);
    best = std::max(best, vocabulary.scores[i]);
  }
  std::vector<UnigramModel::Piece> pieces;
  for (std::size_t i = 0; i < vocabulary.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    const std::string& piece = vocabulary.pieces[i];
    const TokenKind kind = kind_of(vocabulary, token);
    if (kind == TokenKind::normal)
      pieces.push_back({piece, vocabulary.scores[i], token});
    else if (kind == TokenKind::user_defined)
      pieces.push_back({piece, user_defined_score(piece.size(), best), token});
  }
  const auto penalty = static_cast<float>(UnigramModel::kUnknownPenalty);
  return UnigramModel(
      pieces,
      {.unknown = unknown_of(vocabulary), .unknown_score = worst - penalty, .fuse_unknown = false});
}

ScoredBpeModel make_scored_bpe(const Vocabulary& vocabulary) {
  std::vector<ScoredBpeModel::Piece> pieces;
  for (std::size_t i = 0; i < vocabulary.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    const TokenKind kind = kind_of(vocabulary, token);
    if (!is_text(kind)) continue;
    const auto use = kind == TokenKind::user_defined ? ScoredBpeModel::Use::user_defined
                     : kind == TokenKind::unused     ? ScoredBpeModel::Use::unused
                                                     : ScoredBpeModel::Use::normal;
    pieces.push_back({vocabulary.pieces[i], vocabulary.scores[i], token, use});
  }
  return {pieces, unknown_of(vocabulary)};
}

}  // namespace

bool SentencePieceTokenizer::knows(std::string_view model) {
  constexpr std::array models = {kT5Model, kUnigramModel, kScoredBpeModel, kWordModel,
                                 kCharacterModel};
  return std::find(models.begin(), models.end(), model) != models.end();
}

SentencePieceTokenizer::Model SentencePieceTokenizer::make_model(const Vocabulary& vocabulary) {
  if (vocabulary.scores.size() != vocabulary.pieces.size())
    fail(ErrorKind::corrupt, "vocabulary: found {} scores for {} tokens", vocabulary.scores.size(),
         vocabulary.pieces.size());
  if (vocabulary.model == kScoredBpeModel) return make_scored_bpe(vocabulary);
  if (vocabulary.model == kWordModel) return WordModel();
  if (vocabulary.model == kCharacterModel) return CharacterModel();
  return make_unigram(vocabulary);
}

SentencePieceTokenizer::SentencePieceTokenizer(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      special_tokens_(this->vocabulary(), this->vocabulary().model == kT5Model),
      normalizer_(this->vocabulary()),
      model_(make_model(this->vocabulary())),
      byte_tokens_(this->vocabulary()),
      literal_index_(this->vocabulary().pieces.size()),
      text_index_(this->vocabulary().pieces.size()),
      unknown_(unknown_of(this->vocabulary())) {
  if (this->vocabulary().sentence_piece.byte_fallback && !byte_tokens_.complete())
    fail(ErrorKind::corrupt, "vocabulary: a byte token is missing, expected <0x00> to <0xFF>");
  fill_indices();
}

void SentencePieceTokenizer::fill_indices() {
  for (std::size_t i = 0; i < vocabulary().pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    literal_index_.insert(vocabulary().pieces[i], token);
    if (is_text(kind_of(vocabulary(), token))) text_index_.insert(vocabulary().pieces[i], token);
  }
}

void SentencePieceTokenizer::encode_input(const Input& input, Encoding& output,
                                          bool with_offsets) const {
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  encode_segments(vocabulary(), special_tokens_, input, output, with_offsets,
                  [&](std::string_view part, std::size_t begin) {
                    encode_text(part, begin, scratch, output, with_offsets);
                  });
  scratch.normalized.shrink();
  scratch.unigram.shrink();
}

// Offsets as SentencePiece gives them: the bytes of a character that has no piece stand before it,
// but for the last one, which covers it.
void SentencePieceTokenizer::encode_text(std::string_view text, std::size_t begin, Scratch& scratch,
                                         Encoding& output, bool with_offsets) const {
  normalizer_.normalize(text, with_offsets, scratch.normalized);
  const std::string_view normalized = scratch.normalized.text;
  find_pieces(normalized, scratch);
  const auto source_of = [&](std::uint32_t position) {
    return with_offsets ? begin + scratch.normalized.sources[position] : 0;
  };
  bool after_unknown = false;
  for (const TokenRange& range : scratch.ranges) {
    const std::size_t from = source_of(range.begin);
    const std::size_t to = source_of(range.end);
    const bool unknown = range.token == unknown_;
    if (unknown && vocabulary().sentence_piece.byte_fallback) {
      for (std::uint32_t i = range.begin; i < range.end; ++i)
        push_token(output, with_offsets, byte_tokens_[normalized[i]], from,
                   i + 1 == range.end ? to : from);
    } else if (unknown && after_unknown) {
      if (with_offsets) output.offsets.back().end = static_cast<std::uint32_t>(to);
    } else {
      push_token(output, with_offsets, range.token, from, to);
    }
    after_unknown = unknown;
  }
}

void SentencePieceTokenizer::find_pieces(std::string_view normalized, Scratch& scratch) const {
  scratch.ranges.clear();
  if (const auto* unigram = std::get_if<UnigramModel>(&model_))
    unigram->encode(normalized, scratch.unigram, scratch.ranges);
  else if (const auto* bpe = std::get_if<ScoredBpeModel>(&model_))
    bpe->encode(normalized, scratch.bpe, scratch.ranges);
  else if (std::holds_alternative<WordModel>(model_))
    find_words(normalized, scratch.ranges);
  else
    find_characters(normalized, scratch.ranges);
}

TokenRange SentencePieceTokenizer::whole(std::string_view normalized, std::size_t begin,
                                         std::size_t end) const {
  const auto token = text_index_.find(normalized.substr(begin, end - begin));
  return {token.value_or(unknown_), static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(end)};
}

void SentencePieceTokenizer::find_words(std::string_view normalized,
                                        std::vector<TokenRange>& ranges) const {
  for (std::size_t begin = 0; begin < normalized.size();) {
    const std::size_t end = std::min(normalized.find(kSpaceMark, begin + 1), normalized.size());
    ranges.push_back(whole(normalized, begin, end));
    begin = end;
  }
}

void SentencePieceTokenizer::find_characters(std::string_view normalized,
                                             std::vector<TokenRange>& ranges) const {
  for (std::size_t begin = 0; begin < normalized.size();) {
    const std::string_view rest = normalized.substr(begin);
    const std::size_t user_defined = normalizer_.user_defined_bytes(rest);
    const std::size_t size_bytes = user_defined > 0 ? user_defined : next_utf8(rest).size_bytes;
    ranges.push_back(whole(normalized, begin, begin + size_bytes));
    begin += size_bytes;
  }
}

std::string SentencePieceTokenizer::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  const std::string& piece = vocabulary().pieces[static_cast<std::size_t>(token.value)];
  const std::string& unknown_text = vocabulary().sentence_piece.unknown_text;
  switch (kind_of(vocabulary(), token)) {
    case TokenKind::control:
      return show_control ? piece : std::string();
    case TokenKind::unknown:
      return unknown_text.empty() ? piece : unknown_text;
    case TokenKind::byte:
      if (const int byte = byte_of_piece(piece); byte >= 0)
        return std::string(1, static_cast<char>(byte));
      return piece;
    default:
      return unescape_spaces(piece);
  }
}

bool SentencePieceTokenizer::strips_leading_space() const {
  return vocabulary().add_space_prefix || vocabulary().sentence_piece.remove_extra_spaces;
}

void SentencePieceTokenizer::decode_next(TokenId token, bool show_control, DecodeState& state,
                                         std::string& bytes) const {
  const std::string piece = piece_bytes(token, show_control);
  const bool begins_with_mark =
      is_text(kind_of(vocabulary(), token)) &&
      vocabulary().pieces[static_cast<std::size_t>(token.value)].starts_with(kSpaceMark);
  const bool strip = state.strips && strips_leading_space() && begins_with_mark;
  bytes.append(piece, strip ? 1 : 0);
  const bool left_nothing = piece.size() == (strip ? 1U : 0U);
  const bool more_may_follow = !strip || vocabulary().sentence_piece.remove_extra_spaces;
  state.strips = state.strips && left_nothing && more_may_follow;
}

std::optional<TokenId> SentencePieceTokenizer::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
