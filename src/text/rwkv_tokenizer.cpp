#include "text/rwkv_tokenizer.h"

#include <charconv>
#include <utility>

#include "base/error.h"
#include "text/segments.h"

namespace cairn::text {

namespace {

bool is_text(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::unused || kind == TokenKind::byte;
}

/// The byte that an escape letter stands for.
std::optional<char> escaped_byte(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\\':
    case '\'':
    case '"':
      return letter;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> unescape_rwkv_piece(std::string_view piece) {
  std::string bytes;
  while (!piece.empty()) {
    const std::string_view plain = piece.substr(0, piece.find('\\'));
    bytes.append(plain);
    piece.remove_prefix(plain.size());
    if (piece.empty()) break;
    if (piece.size() >= 4 && piece[1] == 'x') {
      std::uint8_t byte = 0;
      const auto [end, error] = std::from_chars(piece.data() + 2, piece.data() + 4, byte, 16);
      if (error != std::errc() || end != piece.data() + 4) return std::nullopt;
      bytes.push_back(static_cast<char>(byte));
      piece.remove_prefix(4);
      continue;
    }
    const auto byte = piece.size() >= 2 ? escaped_byte(piece[1]) : std::nullopt;
    if (!byte) return std::nullopt;
    bytes.push_back(*byte);
    piece.remove_prefix(2);
  }
  return bytes;
}

RwkvTokenizer::RwkvTokenizer(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      special_tokens_(this->vocabulary()),
      literal_index_(this->vocabulary().pieces.size()) {
  const std::vector<std::string>& pieces = this->vocabulary().pieces;
  bytes_.reserve(pieces.size());
  std::vector<PieceTrie::Entry> entries;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    literal_index_.insert(pieces[i], token);
    const bool text = is_text(kind_of(this->vocabulary(), token));
    auto bytes = text ? unescape_rwkv_piece(pieces[i]) : pieces[i];
    if (!bytes)
      fail(ErrorKind::corrupt, "vocabulary: token {} '{}' is not escaped as RWKV's pieces are", i,
           pieces[i]);
    bytes_.push_back(*std::move(bytes));
    if (text) entries.push_back({bytes_.back(), token.value});
  }
  trie_ = PieceTrie(entries);
}

void RwkvTokenizer::encode_input(const Input& input, Encoding& output, bool with_offsets) const {
  encode_segments(vocabulary(), special_tokens_, input, output, with_offsets,
                  [&](std::string_view part, std::size_t begin) {
                    encode_text(part, begin, output, with_offsets);
                  });
}

void RwkvTokenizer::encode_text(std::string_view text, std::size_t begin, Encoding& output,
                                bool with_offsets) const {
  for (std::size_t at = 0; at < text.size();) {
    const auto match = trie_.longest_prefix(text.substr(at));
    const std::size_t end = at + (match ? match->size_bytes : 1);
    const auto token = match ? std::optional(TokenId(match->value)) : vocabulary().unknown;
    if (token) push_token(output, with_offsets, *token, begin + at, begin + end);
    at = end;
  }
}

std::string RwkvTokenizer::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  if (kind_of(vocabulary(), token) == TokenKind::control && !show_control) return {};
  return bytes_[static_cast<std::size_t>(token.value)];
}

std::optional<TokenId> RwkvTokenizer::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
