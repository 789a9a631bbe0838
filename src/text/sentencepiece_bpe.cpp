#include "text/sentencepiece_bpe.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "text/segments.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581
constexpr char32_t kSpaceMarkCodePoint = 0x2581;

/// The byte of "<0x41>"; -1 for any other piece.
int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  int byte = -1;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  return error == std::errc() && end == piece.data() + 5 ? byte : -1;
}

/// Lower is better: the order of floats turned around and mapped to integers.
std::uint32_t rank_of_score(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 equals 0
  const bool negative = (bits & 0x80000000U) != 0;
  return negative ? bits : ~bits & 0x7FFFFFFFU;
}

std::size_t character_size(std::string_view text) {
  return next_utf8(text).size_bytes;
}

}  // namespace

SentencePieceBpe::SentencePieceBpe(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      special_tokens_(this->vocabulary()),
      literal_index_(this->vocabulary().pieces.size()),
      merge_index_(this->vocabulary().pieces.size()),
      borders_(2 * this->vocabulary().pieces.size()) {
  if (this->vocabulary().scores.size() != this->vocabulary().pieces.size())
    fail(ErrorKind::corrupt, "tokenizer.ggml.scores: found {} scores for {} tokens",
         this->vocabulary().scores.size(), this->vocabulary().pieces.size());
  fill_indices();
}

void SentencePieceBpe::fill_indices() {
  byte_tokens_.fill(TokenId(-1));
  for (std::size_t i = 0; i < vocabulary().pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    const std::string_view piece = vocabulary().pieces[i];
    const TokenKind kind = kind_of(vocabulary(), token);
    literal_index_.insert(piece, token);
    const int byte = kind == TokenKind::byte ? byte_of_piece(piece) : -1;
    if (byte >= 0) byte_tokens_[static_cast<std::size_t>(byte)] = token;
    if (kind != TokenKind::normal && kind != TokenKind::unused) continue;
    merge_index_.insert(piece, token);
    char32_t previous = kSpaceMarkCodePoint;
    for (std::size_t at = 0; at < piece.size();) {
      const std::string_view character = piece.substr(at, character_size(piece.substr(at)));
      const char32_t current = decode_utf8(character);
      if (current == kSpaceMarkCodePoint && previous != kSpaceMarkCodePoint)
        joiners_.push_back(previous);
      if (at > 0) borders_.add(piece.substr(0, at), piece.substr(at));
      previous = current;
      at += character.size();
    }
  }
  std::sort(joiners_.begin(), joiners_.end());
  joiners_.erase(std::unique(joiners_.begin(), joiners_.end()), joiners_.end());
}

void SentencePieceBpe::encode_input(const Input& input, Encoding& output, bool with_offsets) const {
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  encode_segments(vocabulary(), special_tokens_, input, output, with_offsets,
                  [&](std::string_view part, std::size_t begin) {
                    encode_text(part, scratch, output.tokens);
                    if (with_offsets) append_offsets(part, begin, scratch.escaped, output);
                  });
  scratch.symbols.shrink();
}

void SentencePieceBpe::encode_text(std::string_view text, Scratch& scratch,
                                   std::vector<TokenId>& tokens) const {
  std::string& escaped = scratch.escaped;
  escaped.assign(vocabulary().add_space_prefix ? kSpaceMark : std::string_view());
  for (const char c : text) {
    if (c == ' ')
      escaped += kSpaceMark;
    else
      escaped += c;
  }
  std::string_view rest = escaped;
  while (!rest.empty()) {
    std::string_view valid = rest.substr(0, valid_utf8_prefix(rest));
    rest.remove_prefix(valid.size());
    while (!valid.empty()) {
      const std::size_t size_bytes = word_end(valid);
      encode_word(valid.substr(0, size_bytes), scratch, tokens);
      valid.remove_prefix(size_bytes);
    }
    if (rest.empty()) break;
    const std::size_t invalid = character_size(rest);
    append_bytes(rest.substr(0, invalid), tokens);
    rest.remove_prefix(invalid);
  }
}

// Merges never cross the border before a space mark unless some piece contains that very border, so
// the text may be cut there without changing a token.
std::size_t SentencePieceBpe::word_end(std::string_view text) const {
  std::size_t end = 0;
  std::size_t from = 0;
  while ((end = text.find(kSpaceMark, from)) != std::string_view::npos) {
    from = end + kSpaceMark.size();
    if (end == 0) continue;
    std::size_t before = end - 1;
    while ((static_cast<std::uint8_t>(text[before]) & 0xC0U) == 0x80) --before;
    const char32_t character = decode_utf8(text.substr(before, end - before));
    if (character == kSpaceMarkCodePoint) continue;
    if (!std::binary_search(joiners_.begin(), joiners_.end(), character)) return end;
  }
  return text.size();
}

void SentencePieceBpe::encode_word(std::string_view word, Scratch& scratch,
                                   std::vector<TokenId>& tokens) const {
  if (scratch.cache.find(word, tokens)) return;
  const std::size_t before = tokens.size();
  merge_word(word, scratch, tokens);
  scratch.cache.insert(word, std::span(tokens).subspan(before));
}

void SentencePieceBpe::merge_word(std::string_view word, Scratch& scratch,
                                  std::vector<TokenId>& tokens) const {
  constexpr std::size_t short_word = 40;  // is not worth cutting
  std::size_t begin = 0;
  if (word.size() > short_word) {
    for (std::size_t at = lead_size(word[0]); at < word.size(); at += lead_size(word[at])) {
      if (borders_.may_join(word, at)) continue;
      encode_word(word.substr(begin, at - begin), scratch, tokens);
      begin = at;
    }
  }
  if (begin == 0) return merge_part(word, scratch, tokens);
  encode_word(word.substr(begin), scratch, tokens);
}

void SentencePieceBpe::merge_part(std::string_view part, Scratch& scratch,
                                  std::vector<TokenId>& tokens) const {
  SymbolList& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t size_bytes = lead_size(part[at]);
    const auto token = merge_index_.find(part.substr(at, size_bytes));
    at += size_bytes;
    symbols.push(token.value_or(TokenId(-1)), static_cast<std::uint32_t>(at));
  }
  symbols.merge([&](TokenId, TokenId, std::uint32_t begin, std::uint32_t end) {
    const auto token = merge_index_.find(part.substr(begin, end - begin));
    if (!token) return Merge{};
    return Merge{rank_of_score(vocabulary().scores[static_cast<std::size_t>(token->value)]),
                 *token};
  });
  symbols.for_each([&](TokenId token, std::uint32_t begin, std::uint32_t end) {
    if (token.value >= 0)
      tokens.push_back(token);
    else
      append_bytes(part.substr(begin, end - begin), tokens);
  });
}

void SentencePieceBpe::append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const {
  const bool complete = std::all_of(bytes.begin(), bytes.end(), [&](char c) {
    return byte_tokens_[static_cast<std::uint8_t>(c)].value >= 0;
  });
  if (!complete) {
    if (vocabulary().unknown) tokens.push_back(*vocabulary().unknown);
    return;
  }
  for (const char c : bytes) tokens.push_back(byte_tokens_[static_cast<std::uint8_t>(c)]);
}

std::size_t SentencePieceBpe::escaped_size(TokenId token, std::string_view rest) const {
  const TokenKind kind = kind_of(vocabulary(), token);
  if (kind == TokenKind::byte) return 1;
  if (kind == TokenKind::normal || kind == TokenKind::unused)
    return vocabulary().pieces[static_cast<std::size_t>(token.value)].size();
  return character_size(rest);  // the unknown token stands for one character
}

void SentencePieceBpe::append_offsets(std::string_view text, std::size_t begin,
                                      std::string_view escaped, Encoding& output) const {
  const std::size_t prefix = vocabulary().add_space_prefix ? kSpaceMark.size() : 0;
  // Walks both texts side by side: `source` is the first byte whose escaped form ends after `at`.
  std::size_t at = 0;
  std::size_t source = 0;
  std::size_t source_end = prefix;  // where the escaped form of what lies before `source` ends
  const auto size_at = [&](std::size_t i) { return text[i] == ' ' ? kSpaceMark.size() : 1; };
  for (std::size_t i = output.offsets.size(); i < output.tokens.size(); ++i) {
    const std::size_t end = at + escaped_size(output.tokens[i], escaped.substr(at));
    while (source < text.size() && source_end + size_at(source) <= at)
      source_end += size_at(source++);
    const std::size_t token_begin = source;
    std::size_t token_end = source;
    for (std::size_t covered = source_end; covered < end && token_end < text.size(); ++token_end)
      covered += size_at(token_end);
    output.offsets.push_back({static_cast<std::uint32_t>(begin + token_begin),
                              static_cast<std::uint32_t>(begin + token_end)});
    at = end;
  }
}

std::string SentencePieceBpe::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  const TokenKind kind = kind_of(vocabulary(), token);
  if (kind == TokenKind::control && !show_control) return {};
  const std::string& piece = vocabulary().pieces[static_cast<std::size_t>(token.value)];
  if (kind == TokenKind::byte) {
    const int byte = byte_of_piece(piece);
    if (byte >= 0) return std::string(1, static_cast<char>(byte));
  }
  if (kind != TokenKind::normal && kind != TokenKind::unused) return piece;
  std::string bytes;
  std::string_view rest = piece;
  for (std::size_t mark = 0; (mark = rest.find(kSpaceMark)) != std::string_view::npos;) {
    bytes.append(rest.substr(0, mark)) += ' ';
    rest.remove_prefix(mark + kSpaceMark.size());
  }
  return bytes.append(rest);
}

std::optional<TokenId> SentencePieceBpe::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
