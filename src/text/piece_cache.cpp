#include "text/piece_cache.h"

#include <algorithm>
#include <cstring>

namespace cairn::text {

namespace {

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

// Whole words from both ends, which may overlap: with the size they say all bytes, and none beyond
// the piece is touched.
PieceCache::Key PieceCache::key_of(std::string_view piece) {
  const char* first = piece.data();
  const char* last = first + piece.size();
  Key key;
  key.size_bytes = static_cast<std::uint32_t>(piece.size());
  if (piece.size() >= 8) {
    key.words[0] = load<std::uint64_t>(first);
    key.words[1] = load<std::uint64_t>(last - 8);
    if (piece.size() > 16) key.words[2] = load<std::uint64_t>(first + 8);
  } else if (piece.size() >= 4) {
    key.words[0] = load<std::uint32_t>(first) | load<std::uint32_t>(last - 4) << 32;
  } else {
    key.words[0] = load<std::uint8_t>(first) | load<std::uint8_t>(first + piece.size() / 2) << 8 |
                   load<std::uint8_t>(last - 1) << 16;
  }
  return key;
}

std::size_t PieceCache::slot_of(const Key& key) {
  std::uint64_t hash = key.size_bytes;
  for (const std::uint64_t word : key.words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  return hash & (kEntryCount - 1);
}

bool PieceCache::find(std::string_view piece, std::vector<TokenId>& tokens) const {
  if (piece.size() > kLongestPieceBytes) return false;
  const Key key = key_of(piece);
  const Entry& entry = entries_[slot_of(key)];
  if (entry.key != key) return false;
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
