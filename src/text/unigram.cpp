#include "text/unigram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

// How the best path to a position ends: with an entry (not negative), not known yet, or with an
// unknown character of n bytes (-1 - n).
constexpr std::int32_t kUnreached = -1;

constexpr std::int32_t unknown_of(std::size_t size_bytes) {
  return -1 - static_cast<std::int32_t>(size_bytes);
}
constexpr std::size_t unknown_size_bytes(std::int32_t last) {
  return static_cast<std::size_t>(-1 - last);
}

constexpr std::size_t kMostIdle = 1 << 16;
constexpr std::size_t kBatchTokens = 1024;

/// Joins neighbours that are both `unknown`.
void fuse(TokenId unknown, std::vector<TokenRange>& ranges) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool joins = kept > 0 && ranges[i].token == unknown && ranges[kept - 1].token == unknown;
    if (joins)
      ranges[kept - 1].end = ranges[i].end;
    else
      ranges[kept++] = ranges[i];
  }
  ranges.resize(kept);
}

}  // namespace

UnigramModel::UnigramModel(std::span<const Piece> pieces, Options options) : options_(options) {
  std::vector<PieceTrie::Entry> trie_entries;
  trie_entries.reserve(pieces.size());
  entries_.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    if (!std::isfinite(piece.score))
      fail(ErrorKind::corrupt, "vocabulary: token {} has the score {}, expected a finite number",
           piece.token.value, piece.score);
    trie_entries.push_back({piece.bytes, static_cast<std::int32_t>(entries_.size())});
    entries_.push_back({piece.score, piece.token, static_cast<std::uint32_t>(piece.bytes.size())});
  }
  trie_ = PieceTrie(trie_entries);
}

void UnigramModel::encode(std::string_view text, Scratch& scratch,
                          std::vector<TokenRange>& output) const {
  encode_batches(text, scratch, [&](std::span<const TokenRange> ranges) {
    output.insert(output.end(), ranges.begin(), ranges.end());
  });
}

void UnigramModel::encode_batches(std::string_view text, Scratch& scratch, TakeRanges take) const {
  scratch.batch_.clear();
  if (options_.sums == Sums::as_float)
    search<float>(text, scratch, take);
  else
    search<double>(text, scratch, take);
  give(scratch, take, true);
}

// A position that no piece crosses lies on every path: what stands before it is decided, so its
// tokens leave at once. Sums go on from there, as the rounding of a sum depends on its size.
template <class Sum>
void UnigramModel::search(std::string_view text, Scratch& scratch, TakeRanges take) const {
  const std::size_t longest = std::max<std::size_t>(trie_.longest_bytes(), 4);
  scratch.sums_.resize(std::bit_ceil(longest + 1));
  scratch.last_.assign(longest + 64, kUnreached);
  const std::size_t mask = scratch.sums_.size() - 1;
  std::vector<std::int32_t>& last = scratch.last_;
  double* const sums = scratch.sums_.data();
  const auto unknown_score = static_cast<Sum>(options_.unknown_score);

  std::size_t decided = 0;  // last[i] belongs to the path that ends at decided + i
  std::size_t reached = 0;  // the furthest end of a piece so far
  sums[0] = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (begin >= reached) {
      append_best(decided, begin, scratch);
      decided = begin;
      if (scratch.batch_.size() >= kBatchTokens) give(scratch, take, false);
    }
    const std::size_t needed = begin - decided + longest + 1;
    if (last.size() < needed) last.resize(2 * needed, kUnreached);
    const auto sum = static_cast<Sum>(sums[begin & mask]);
    const auto offer = [&](std::size_t end, auto candidate, std::int32_t how) {
      std::int32_t& target = last[end - decided];
      if (target != kUnreached && !(candidate > sums[end & mask])) return;
      target = how;
      sums[end & mask] = static_cast<Sum>(candidate);
      reached = std::max(reached, end);
    };
    const std::string_view rest = text.substr(begin);
    const std::size_t character = next_utf8(rest).size_bytes;
    bool known = false;
    trie_.for_each_prefix(rest, [&](std::size_t size_bytes, std::int32_t entry) {
      // In double even where sums are floats: SentencePiece compares before it rounds.
      offer(begin + size_bytes, entries_[static_cast<std::size_t>(entry)].score + sum, entry);
      known = known || size_bytes == character;
    });
    if (!known) offer(begin + character, unknown_score + sum, unknown_of(character));
    begin += character;
  }
  append_best(decided, text.size(), scratch);
}

/// Gives away what is decided, but for an unknown token that may still grow.
void UnigramModel::give(Scratch& scratch, TakeRanges take, bool is_last) const {
  std::vector<TokenRange>& batch = scratch.batch_;
  if (options_.fuse_unknown) fuse(options_.unknown, batch);
  if (batch.empty()) return;
  const bool keeps = !is_last && options_.fuse_unknown && batch.back().token == options_.unknown;
  const TokenRange kept = batch.back();
  take(std::span<const TokenRange>(batch).first(batch.size() - (keeps ? 1 : 0)));
  batch.clear();
  if (keeps) batch.push_back(kept);
}

/// The tokens of the best path from one decided position to the next; forgets the path.
void UnigramModel::append_best(std::size_t begin, std::size_t end, Scratch& scratch) const {
  std::vector<TokenRange>& output = scratch.batch_;
  const std::size_t first = output.size();
  for (std::size_t at = end; at > begin;) {
    const std::int32_t how = scratch.last_[at - begin];
    const bool known = how >= 0;
    const Entry* const entry = known ? &entries_[static_cast<std::size_t>(how)] : nullptr;
    const std::size_t from = at - (known ? entry->size_bytes : unknown_size_bytes(how));
    output.push_back({known ? entry->token : options_.unknown, static_cast<std::uint32_t>(from),
                      static_cast<std::uint32_t>(at)});
    at = from;
  }
  std::reverse(output.begin() + static_cast<std::ptrdiff_t>(first), output.end());
  std::fill_n(scratch.last_.begin(), end - begin + 1, kUnreached);
}

void UnigramModel::Scratch::shrink() {
  if (last_.capacity() > kMostIdle) std::vector<std::int32_t>().swap(last_);
  if (batch_.capacity() > kMostIdle) std::vector<TokenRange>().swap(batch_);
}

}  // namespace cairn::text
