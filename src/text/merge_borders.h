#pragma once
// Where a piece can be cut before it is merged, because no merge of the vocabulary joins what
// stands on both sides. Chinese and the like come as long pieces of which few neighbours ever
// merge; cut, they are short and known. Exact: where may_join() is false, merging the parts gives
// the tokens of the whole. Thread-safe once filled.

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::text {

class MergeBorders {
 public:
  /// Room for about `merge_count` merges; more only make the answers coarser.
  explicit MergeBorders(std::size_t merge_count);

  /// A merge exists whose tokens stand for these bytes (not empty).
  void add(std::string_view left, std::string_view right);

  /// Never cut before or after this byte: it goes before merging, so its neighbours may meet.
  void keep_joined(std::uint8_t byte);

  /// Whether some merge could join a token that ends at `at` with one that begins there. May err
  /// on the side of true. 0 < `at` < piece.size().
  bool may_join(std::string_view piece, std::size_t at) const {
    const auto before = static_cast<std::uint8_t>(piece[at - 1]);
    const auto after = static_cast<std::uint8_t>(piece[at]);
    if (byte_pairs_[std::size_t{before} << 8 | after]) return true;
    return after >= kFirstLongLead && at >= kContextBytes && contexts_join(piece, at);
  }
  /// The least byte that begins a character of three or four bytes: before these the answer is
  /// fine enough to cut between most characters.
  static constexpr std::uint8_t kFirstLongLead = 0xE0;

 private:
  static constexpr std::size_t kContextBytes = 3;  // most characters that are not alphabetic

  bool contexts_join(std::string_view piece, std::size_t at) const;
  std::size_t bit_of(std::string_view before, std::string_view after) const;

  // By last byte of the left token << 8 | first byte of the right one: all merges, but where the
  // right one begins a long character only those with a left token shorter than the context.
  std::bitset<1 << 16> byte_pairs_;
  // The others, as a set of hashes of the context and up to as many bytes of the right token.
  std::vector<std::uint64_t> contexts_;
};

}  // namespace cairn::text
