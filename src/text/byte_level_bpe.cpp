#include "text/byte_level_bpe.h"

#include <utility>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/normalize.h"
#include "text/segments.h"
#include "text/utf8.h"
#include "text/written_merge.h"

namespace cairn::text {

namespace {

bool is_written_in_alphabet(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::unused || kind == TokenKind::byte;
}

/// Turns offsets in the composed text (ascending) into offsets in the input, where the text begins
/// at `begin`.
void map_to_source(std::span<const ComposedRange> changes, std::uint32_t begin,
                   std::span<TokenOffsets> offsets) {
  std::size_t next = 0;  // the first change that ends after the token's begin
  const auto moved = [&](std::size_t change_count, std::uint32_t at) {
    if (change_count == 0) return at;
    const ComposedRange& before = changes[change_count - 1];
    return before.source_end + (at - before.end);
  };
  for (TokenOffsets& token : offsets) {
    while (next < changes.size() && changes[next].end <= token.begin) ++next;
    std::size_t last = next;  // the first change that begins at or after the token's end
    while (last < changes.size() && changes[last].begin < token.end) ++last;
    const bool cuts_first = next < last && changes[next].begin < token.begin;
    const bool cuts_last = next < last && changes[last - 1].end > token.end;
    token.begin = begin + (cuts_first ? changes[next].source_begin : moved(next, token.begin));
    token.end = begin + (cuts_last ? changes[last - 1].source_end : moved(last, token.end));
  }
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      rules_(find_pre_tokenizer(this->vocabulary().pre_tokenizer)),
      pre_tokenizer_(rules_),
      special_tokens_(this->vocabulary()),
      literal_index_(this->vocabulary().pieces.size()),
      byte_index_(rules_.ignore_merges ? this->vocabulary().pieces.size() : 0) {
  fill_indices();
  merger_.emplace(read_merges());
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
}

BytePairMerger ByteLevelBpe::read_merges() const {
  BytePairMerger::ByteTokens byte_tokens;
  for (std::size_t byte = 0; byte < 256; ++byte)
    byte_tokens[byte] = literal_index_.find(byte_alphabet()[byte]).value_or(TokenId(-1));
  const std::vector<std::string>& merges = vocabulary().merges;
  BytePairMerger merger(byte_tokens, merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right, merge] = read_merge(merges, rank, literal_index_);
    merger.add(left, bytes_of(left), right, bytes_of(right), merge);
  }
  return merger;
}

void ByteLevelBpe::encode_input(const Input& input, Encoding& output, bool with_offsets) const {
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  encode_segments(vocabulary(), special_tokens_, input, output, with_offsets,
                  [&](std::string_view part, std::size_t begin) {
                    encode_text(part, begin, with_offsets, scratch, output);
                  });
  scratch.symbols.shrink();
  scratch.cut.shrink();
}

void ByteLevelBpe::encode_text(std::string_view text, std::size_t begin, bool with_offsets,
                               Scratch& scratch, Encoding& output) const {
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    if (valid > 0) encode_valid(text.substr(0, valid), begin, with_offsets, scratch, output);
    begin += valid;
    text.remove_prefix(valid);
    if (text.empty()) break;
    const std::size_t invalid = next_utf8(text).size_bytes;
    for (const char c : text.substr(0, invalid)) {
      const TokenId token = merger_->byte_token(c);
      if (token.value >= 0) push_token(output, with_offsets, token, begin, begin + 1);
      ++begin;
    }
    text.remove_prefix(invalid);
  }
}

void ByteLevelBpe::encode_valid(std::string_view text, std::size_t begin, bool with_offsets,
                                Scratch& scratch, Encoding& output) const {
  scratch.composed.clear();
  scratch.changes.clear();
  if (rules_.compose && compose_utf8(text, scratch.composed, &scratch.changes))
    text = scratch.composed;
  pre_tokenizer_.split(text, scratch.cut);
  const std::size_t first_offset = output.offsets.size();
  std::uint32_t piece_begin = 0;
  for (const std::uint32_t piece_end : scratch.cut.ends) {
    const std::string_view piece = text.substr(piece_begin, piece_end - piece_begin);
    encode_piece(piece, scratch, output.tokens);
    if (with_offsets) append_offsets(piece, piece_begin, output);
    piece_begin = piece_end;
  }
  const std::span new_offsets = std::span(output.offsets).subspan(first_offset);
  map_to_source(scratch.changes, static_cast<std::uint32_t>(begin), new_offsets);
}

// A piece's tokens stand for its bytes one after the other, but for bytes that no token has.
void ByteLevelBpe::append_offsets(std::string_view piece, std::size_t begin,
                                  Encoding& output) const {
  const std::size_t first = output.offsets.size();
  const auto is_dropped = [&](std::size_t at) { return merger_->byte_token(piece[at]).value < 0; };
  const auto push = [&](std::size_t from, std::size_t to) {
    output.offsets.push_back(
        {static_cast<std::uint32_t>(begin + from), static_cast<std::uint32_t>(begin + to)});
  };
  std::size_t at = 0;
  for (std::size_t i = first; i < output.tokens.size(); ++i) {
    while (at < piece.size() && is_dropped(at)) ++at;
    const std::size_t from = at;
    std::size_t left = bytes_[static_cast<std::size_t>(output.tokens[i].value)].size();
    for (; left > 0 && at < piece.size(); ++at) left -= is_dropped(at) ? 0 : 1;
    push(from, at);
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
  merger_->for_each_part(piece, [&](std::size_t begin, std::size_t end) {
    encode_part(piece.substr(begin, end - begin), end - begin == piece.size(), scratch, tokens);
  });
}

void ByteLevelBpe::encode_part(std::string_view part, bool is_piece, Scratch& scratch,
                               std::vector<TokenId>& tokens) const {
  if (part.size() == 1) {
    const TokenId token = merger_->byte_token(part[0]);
    if (token.value >= 0) tokens.push_back(token);
    return;
  }
  if (!is_piece && scratch.part_cache.find(part, tokens)) return;
  const std::size_t before = tokens.size();
  merger_->merge_part(part, scratch.symbols, [&](TokenId token, std::uint32_t, std::uint32_t) {
    tokens.push_back(token);
  });
  if (!is_piece) scratch.part_cache.insert(part, std::span(tokens).subspan(before));
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
