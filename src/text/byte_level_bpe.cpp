#include "text/byte_level_bpe.h"

#include <utility>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/normalize.h"
#include "text/segments.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

bool is_written_in_alphabet(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::unused || kind == TokenKind::byte;
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      rules_(find_pre_tokenizer(this->vocabulary().pre_tokenizer)),
      pre_tokenizer_(rules_),
      user_tokens_(this->vocabulary(), false),
      all_special_tokens_(this->vocabulary(), true),
      literal_index_(this->vocabulary().pieces.size()),
      byte_index_(rules_.ignore_merges ? this->vocabulary().pieces.size() : 0),
      merges_(this->vocabulary().merges.size()) {
  fill_indices();
  fill_merges();
}

void ByteLevelBpe::fill_indices() {
  const Vocabulary& from = vocabulary();
  bytes_.reserve(from.pieces.size());
  for (std::size_t i = 0; i < from.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    const bool in_alphabet = is_written_in_alphabet(kind_of(from, token));
    bytes_.push_back(in_alphabet ? decode_byte_alphabet(from.pieces[i]) : from.pieces[i]);
    literal_index_.insert(from.pieces[i], token);
    if (in_alphabet && rules_.ignore_merges) byte_index_.insert(bytes_.back(), token);
  }
  for (std::size_t byte = 0; byte < 256; ++byte)
    byte_tokens_[byte] = literal_index_.find(byte_alphabet()[byte]).value_or(TokenId(-1));
}

void ByteLevelBpe::fill_merges() {
  const std::vector<std::string>& merges = vocabulary().merges;
  std::string whole;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    const std::size_t blank = merge.find(' ', 1);
    const auto known = [&](std::string_view piece) {
      const auto token = literal_index_.find(piece);
      if (!token)
        fail(ErrorKind::corrupt, "merge {} '{}': '{}' is not in the vocabulary", rank, merge,
             piece);
      return *token;
    };
    if (blank == std::string_view::npos || blank + 1 == merge.size())
      fail(ErrorKind::corrupt, "merge {} '{}': expected two pieces with a blank between", rank,
           merge);
    const std::string_view left = merge.substr(0, blank);
    const std::string_view right = merge.substr(blank + 1);
    whole.assign(left).append(right);
    merges_.insert(known(left), known(right), {static_cast<std::uint32_t>(rank), known(whole)});
  }
}

std::vector<TokenId> ByteLevelBpe::encode(std::string_view text, EncodeOptions options) const {
  check_text_size(text);
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  std::vector<TokenId> tokens;
  if (options.add_special) append_bos(vocabulary(), tokens);
  const SpecialTokens& special = options.parse_special ? all_special_tokens_ : user_tokens_;
  for_each_segment(
      special, text, [&](std::string_view part) { encode_text(part, scratch, tokens); },
      [&](TokenId token) { tokens.push_back(token); });
  if (options.add_special) append_eos(vocabulary(), tokens);
  scratch.symbols.shrink();
  scratch.cut.shrink();
  return tokens;
}

void ByteLevelBpe::encode_text(std::string_view text, Scratch& scratch,
                               std::vector<TokenId>& tokens) const {
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    if (valid > 0) encode_valid(text.substr(0, valid), scratch, tokens);
    text.remove_prefix(valid);
    if (text.empty()) break;
    const std::size_t invalid = next_utf8(text).size_bytes;
    for (const char c : text.substr(0, invalid)) {
      const TokenId token = byte_tokens_[static_cast<std::uint8_t>(c)];
      if (token.value >= 0) tokens.push_back(token);
    }
    text.remove_prefix(invalid);
  }
}

void ByteLevelBpe::encode_valid(std::string_view text, Scratch& scratch,
                                std::vector<TokenId>& tokens) const {
  scratch.composed.clear();
  if (rules_.compose && compose_utf8(text, scratch.composed)) text = scratch.composed;
  pre_tokenizer_.split(text, scratch.cut);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : scratch.cut.ends) {
    encode_piece(text.substr(begin, end - begin), scratch, tokens);
    begin = end;
  }
}

void ByteLevelBpe::encode_piece(std::string_view piece, Scratch& scratch,
                                std::vector<TokenId>& tokens) const {
  if (scratch.cache.find(piece, tokens)) return;
  const std::size_t before = tokens.size();
  const auto whole = rules_.ignore_merges ? byte_index_.find(piece) : std::nullopt;
  if (whole)
    tokens.push_back(*whole);
  else
    merge_piece(piece, scratch, tokens);
  scratch.cache.insert(piece, std::span(tokens).subspan(before));
}

void ByteLevelBpe::merge_piece(std::string_view piece, Scratch& scratch,
                               std::vector<TokenId>& tokens) const {
  SymbolList& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const TokenId token = byte_tokens_[static_cast<std::uint8_t>(piece[i])];
    if (token.value >= 0) symbols.push(token, static_cast<std::uint32_t>(i + 1));
  }
  symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
    return merges_.find(left, right);
  });
  symbols.for_each([&](TokenId token, std::uint32_t, std::uint32_t) { tokens.push_back(token); });
}

std::string ByteLevelBpe::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  if (kind_of(vocabulary(), token) == TokenKind::control && !show_control) return {};
  return bytes_[static_cast<std::size_t>(token.value)];
}

std::optional<TokenId> ByteLevelBpe::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
