#include "text/piece_cache.h"

#include <algorithm>

#include "text/byte_words.h"

namespace cairn::text {

// Words from both ends, which may overlap: with the size they say all bytes.
PieceCache::Key PieceCache::key_of(std::string_view piece) {
  Key key;
  key.size_bytes = static_cast<std::uint32_t>(piece.size());
  if (piece.size() <= 8) {
    key.words[0] = short_word(piece);
    return key;
  }
  key.words[0] = load_word<std::uint64_t>(piece.data());
  key.words[1] = load_word<std::uint64_t>(piece.data() + piece.size() - 8);
  if (piece.size() > 16) key.words[2] = load_word<std::uint64_t>(piece.data() + 8);
  return key;
}

std::size_t PieceCache::slot_of(const Key& key) {
  std::uint64_t hash = key.size_bytes;
  for (const std::uint64_t word : key.words) hash = mix_word(hash, word);
  return hash & (kEntryCount - 1);
}

bool PieceCache::find(std::string_view piece, std::vector<TokenId>& tokens) const {
  if (piece.size() > kLongestPieceBytes) return false;
  const Key key = key_of(piece);
  const Entry& entry = entries_[slot_of(key)];
  if (!(entry.key == key)) return false;
  tokens.insert(tokens.end(), entry.tokens.begin(), entry.tokens.begin() + entry.count);
  return true;
}

void PieceCache::insert(std::string_view piece, std::span<const TokenId> tokens) {
  if (piece.size() > kLongestPieceBytes || tokens.size() > kMostTokens) return;
  const Key key = key_of(piece);
  Entry& entry = entries_[slot_of(key)];
  entry.key = key;
  entry.count = static_cast<std::uint32_t>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), entry.tokens.begin());
}

}  // namespace cairn::text
