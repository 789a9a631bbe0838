#include "text/scored_bpe.h"

#include <bit>
#include <optional>

#include "text/utf8.h"

namespace cairn::text {

namespace {

constexpr TokenId kNone{-1};

/// Lower is better: the order of floats turned around and mapped to integers.
std::uint32_t rank_of_score(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 equals 0
  const bool negative = (bits & 0x80000000U) != 0;
  return negative ? bits : ~bits & 0x7FFFFFFFU;
}

PieceTrie user_defined_of(std::span<const ScoredBpeModel::Piece> pieces) {
  std::vector<PieceTrie::Entry> entries;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].use == ScoredBpeModel::Use::user_defined)
      entries.push_back({pieces[i].bytes, static_cast<std::int32_t>(i)});
  return PieceTrie(entries);
}

}  // namespace

ScoredBpeModel::ScoredBpeModel(std::span<const Piece> pieces, TokenId unknown)
    : pieces_(pieces.begin(), pieces.end()),
      index_(pieces.size()),
      user_defined_(user_defined_of(pieces)),
      unknown_(unknown) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    index_.insert(pieces_[i].bytes, TokenId(static_cast<std::int32_t>(i)));
    borders_.add(pieces_[i].bytes);
    has_unused_ = has_unused_ || pieces_[i].use == Use::unused;
  }
  borders_.finish();
}

void ScoredBpeModel::encode(std::string_view text, Scratch& scratch,
                            std::vector<TokenRange>& output) const {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = begin + borders_.word_bytes(text.substr(begin));
    encode_word(text, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), scratch,
                output);
    begin = end;
  }
  scratch.symbols.shrink();
}

void ScoredBpeModel::encode_word(std::string_view text, std::uint32_t begin, std::uint32_t end,
                                 Scratch& scratch, std::vector<TokenRange>& output) const {
  const std::string_view word = text.substr(begin, end - begin);
  SymbolList& symbols = scratch.symbols;
  symbols.clear();
  scratch.left_bytes.clear();
  for (std::size_t at = 0; at < word.size();) {
    const std::string_view rest = word.substr(at);
    const auto whole = user_defined_.longest_prefix(rest);
    const std::size_t size_bytes = whole ? whole->size_bytes : next_utf8(rest).size_bytes;
    at += size_bytes;
    symbols.push(index_.find(rest.substr(0, size_bytes)).value_or(kNone),
                 static_cast<std::uint32_t>(at));
  }
  const auto is_fixed = [&](TokenId index) {
    return index != kNone && piece(index).use == Use::user_defined;
  };
  symbols.merge([&](TokenId left, TokenId right, std::uint32_t from, std::uint32_t to) {
    if (is_fixed(left) || is_fixed(right)) return std::optional<Merge>();
    const auto joined = index_.find(word.substr(from, to - from));
    if (!joined) return std::optional<Merge>();
    if (has_unused_ && piece(*joined).use == Use::unused) {
      const std::size_t left_bytes =
          left == kNone ? next_utf8(word.substr(from)).size_bytes : piece(left).bytes.size();
      scratch.left_bytes[joined->value] = static_cast<std::uint32_t>(left_bytes);
    }
    return std::optional(Merge{rank_of_score(piece(*joined).score), *joined});
  });
  symbols.for_each([&](TokenId index, std::uint32_t from, std::uint32_t to) {
    append_apart({index, begin + from, begin + to}, text, scratch, output);
  });
}

/// The token of a piece, or, of an unused one, those of the two parts it was last proposed from.
void ScoredBpeModel::append_apart(TokenRange range, std::string_view text, Scratch& scratch,
                                  std::vector<TokenRange>& output) const {
  std::vector<TokenRange>& waiting = scratch.apart;
  waiting.assign(1, range);
  while (!waiting.empty()) {
    const TokenRange part = waiting.back();
    waiting.pop_back();
    const bool known = part.token != kNone;
    const auto left =
        known && has_unused_ ? scratch.left_bytes.find(part.token.value) : scratch.left_bytes.end();
    if (left == scratch.left_bytes.end()) {
      output.push_back({known ? piece(part.token).token : unknown_, part.begin, part.end});
      continue;
    }
    const std::uint32_t middle = part.begin + left->second;
    const auto push = [&](std::uint32_t begin, std::uint32_t end) {
      const auto index = index_.find(text.substr(begin, end - begin));
      waiting.push_back({index.value_or(kNone), begin, end});
    };
    push(middle, part.end);
    push(part.begin, middle);
  }
}

}  // namespace cairn::text
