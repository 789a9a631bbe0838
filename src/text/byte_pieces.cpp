#include "text/byte_pieces.h"

#include <algorithm>
#include <charconv>

namespace cairn::text {

int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  int byte = -1;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  return error == std::errc() && end == piece.data() + 5 ? byte : -1;
}

ByteTokens::ByteTokens(const Vocabulary& vocabulary) {
  tokens_.fill(TokenId(-1));
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i) {
    if (vocabulary.kinds[i] != TokenKind::byte) continue;
    const int byte = byte_of_piece(vocabulary.pieces[i]);
    if (byte >= 0) tokens_[static_cast<std::size_t>(byte)] = TokenId(static_cast<std::int32_t>(i));
  }
}

bool ByteTokens::cover(std::string_view bytes) const {
  return std::all_of(bytes.begin(), bytes.end(), [&](char c) { return (*this)[c].value >= 0; });
}

bool ByteTokens::complete() const {
  return std::all_of(tokens_.begin(), tokens_.end(), [](TokenId t) { return t.value >= 0; });
}

}  // namespace cairn::text
