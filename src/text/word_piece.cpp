#include "text/word_piece.h"

#include <algorithm>

namespace cairn::text {

namespace {

PieceTrie trie_of(std::span<const WordPieceModel::Piece> pieces, std::string_view prefix) {
  std::vector<PieceTrie::Entry> entries;
  entries.reserve(pieces.size());
  for (const WordPieceModel::Piece& piece : pieces)
    if (piece.bytes.starts_with(prefix))
      entries.push_back({piece.bytes.substr(prefix.size()), piece.token.value});
  return PieceTrie(entries);
}

bool has_more_characters(std::string_view word, std::size_t most) {
  if (word.size() <= most) return false;
  const auto characters = std::count_if(word.begin(), word.end(), [](char c) {
    return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80;
  });
  return static_cast<std::size_t>(characters) > most;
}

}  // namespace

WordPieceModel::WordPieceModel(std::span<const Piece> first, std::span<const Piece> rest,
                               Options options)
    : first_(trie_of(first, "")), rest_(trie_of(rest, "")), options_(options) {}

WordPieceModel::WordPieceModel(std::span<const Piece> pieces, std::string_view prefix,
                               Options options)
    : first_(trie_of(pieces, "")), rest_(trie_of(pieces, prefix)), options_(options) {}

void WordPieceModel::encode(std::string_view word, std::vector<TokenRange>& output) const {
  const std::size_t before = output.size();
  if (!has_more_characters(word, options_.longest_word_characters) && append_pieces(word, output))
    return;
  output.resize(before);
  output.push_back({options_.unknown, 0, static_cast<std::uint32_t>(word.size())});
}

bool WordPieceModel::append_pieces(std::string_view word, std::vector<TokenRange>& output) const {
  for (std::size_t begin = 0; begin < word.size();) {
    const PieceTrie& trie = begin == 0 ? first_ : rest_;
    const auto match = trie.longest_prefix(word.substr(begin));
    if (!match) return false;
    const std::size_t end = begin + match->size_bytes;
    output.push_back({TokenId(match->value), static_cast<std::uint32_t>(begin),
                      static_cast<std::uint32_t>(end)});
    begin = end;
  }
  return true;
}

}  // namespace cairn::text
