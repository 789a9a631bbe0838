#include "text/bert_tokenizer.h"

#include <utf8proc.h>

#include <array>
#include <span>
#include <utility>

#include "base/error.h"
#include "text/huggingface/unicode.h"
#include "text/segments.h"
#include "text/space_mark.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

using huggingface::is_chinese;
using huggingface::is_control;
using huggingface::is_nonspacing_mark;
using huggingface::is_punctuation;

WordPieceModel make_model(const Vocabulary& vocabulary) {
  if (!vocabulary.unknown)
    fail(ErrorKind::corrupt, "vocabulary: found no unknown token, expected one");
  std::vector<WordPieceModel::Piece> first;
  std::vector<WordPieceModel::Piece> rest;
  for (std::size_t i = 0; i < vocabulary.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    if (kind_of(vocabulary, token) != TokenKind::normal) continue;
    const std::string_view piece = vocabulary.pieces[i];
    if (piece.starts_with(kSpaceMark))
      first.push_back({piece.substr(kSpaceMark.size()), token});
    else
      rest.push_back({piece, token});
  }
  return {first, rest, {.unknown = *vocabulary.unknown}};
}

/// `visit` for each character that `c` becomes.
template <class Visit>
void for_each_cleaned(char32_t c, const BertRules& rules, const Visit& visit) {
  const auto lowered = [&](char32_t part) {
    if (rules.lowercase && part == 0x130) {  // the only one that becomes two
      visit(U'i');
      visit(char32_t{0x307});
    } else {
      visit(rules.lowercase ? huggingface::to_lower(part) : part);
    }
  };
  const bool keep = !rules.strip_accents || c < 0x80;
  if (keep || huggingface::is_newer_than_unicode9(c)) {
    if (keep || !is_nonspacing_mark(c)) lowered(c);
    return;
  }
  std::array<utf8proc_int32_t, 8> parts{};  // the longest canonical decomposition has four
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE), &boundary);
  const auto valid = static_cast<std::size_t>(count > 0 ? count : 0);
  for (const utf8proc_int32_t part : std::span(parts).first(valid))
    if (!is_nonspacing_mark(static_cast<char32_t>(part))) lowered(static_cast<char32_t>(part));
}

}  // namespace

/// Collects one word and appends its tokens.
class BertTokenizer::WordWriter {
 public:
  WordWriter(const WordPieceModel& model, Scratch& scratch, Encoding& output, bool with_offsets)
      : model_(model), scratch_(scratch), output_(output), with_offsets_(with_offsets) {
    forget();
  }

  void put(char32_t character, TokenOffsets source) {
    append_utf8(scratch_.word, character);
    if (with_offsets_) scratch_.sources.resize(scratch_.word.size(), source);
  }

  void put_alone(char32_t character, TokenOffsets source) {
    end_word();
    put(character, source);
    end_word();
  }

  void end_word() {
    if (scratch_.word.empty()) return;
    scratch_.ranges.clear();
    model_.encode(scratch_.word, scratch_.ranges);
    for (const TokenRange& range : scratch_.ranges) {
      const std::size_t begin = with_offsets_ ? scratch_.sources[range.begin].begin : 0;
      const std::size_t end = with_offsets_ ? scratch_.sources[range.end - 1].end : 0;
      push_token(output_, with_offsets_, range.token, begin, end);
    }
    forget();
  }

 private:
  void forget() {
    scratch_.word.clear();
    scratch_.sources.clear();
  }

  const WordPieceModel& model_;
  Scratch& scratch_;
  Encoding& output_;
  bool with_offsets_;
};

BertTokenizer::BertTokenizer(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      special_tokens_(this->vocabulary()),
      model_(make_model(this->vocabulary())),
      literal_index_(this->vocabulary().pieces.size()) {
  for (std::size_t i = 0; i < this->vocabulary().pieces.size(); ++i)
    literal_index_.insert(this->vocabulary().pieces[i], TokenId(static_cast<std::int32_t>(i)));
}

void BertTokenizer::encode_input(const Input& input, Encoding& output, bool with_offsets) const {
  const auto lease = scratches_.borrow();
  WordWriter writer(model_, *lease, output, with_offsets);
  encode_segments(
      vocabulary(), special_tokens_, input, output, with_offsets,
      [&](std::string_view part, std::size_t begin) { encode_text(part, begin, writer); });
}

void BertTokenizer::encode_text(std::string_view text, std::size_t begin,
                                WordWriter& writer) const {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Sequence sequence = next_utf8(text.substr(at));
    const TokenOffsets source{static_cast<std::uint32_t>(begin + at),
                              static_cast<std::uint32_t>(begin + at + sequence.size_bytes)};
    const std::string_view character = text.substr(at, sequence.size_bytes);
    at += sequence.size_bytes;
    if (sequence.status != Utf8Status::valid) continue;  // it would be U+FFFD
    const char32_t c = decode_utf8(character);
    if (c == 0 || c == 0xFFFD || is_control(c)) continue;
    const bool ideograph = is_chinese(c);
    if (ideograph || huggingface::is_white_space(c)) writer.end_word();
    if (huggingface::is_white_space(c)) continue;
    for_each_cleaned(c, vocabulary().bert, [&](char32_t cleaned) {
      if (is_punctuation(cleaned))
        writer.put_alone(cleaned, source);
      else
        writer.put(cleaned, source);
    });
    if (ideograph) writer.end_word();
  }
  writer.end_word();
}

std::string BertTokenizer::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  const TokenKind kind = kind_of(vocabulary(), token);
  const std::string& piece = vocabulary().pieces[static_cast<std::size_t>(token.value)];
  if (kind == TokenKind::control && !show_control) return {};
  if (!piece.starts_with(kSpaceMark)) return piece;
  return std::string(" ").append(piece, kSpaceMark.size());
}

std::optional<TokenId> BertTokenizer::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
