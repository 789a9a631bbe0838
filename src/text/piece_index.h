#pragma once
// Finds the token of a piece by its bytes. A flat hash table; thread-safe once filled.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace cairn::text {

class PieceIndex {
 public:
  /// Room for `count` pieces, which insert() must not exceed.
  explicit PieceIndex(std::size_t count);

  /// The bytes must outlive the index. False, and no change, if they are there already, or are more
  /// than any text can be looked up for (kMostPieceBytes).
  bool insert(std::string_view bytes, TokenId token);
  std::optional<TokenId> find(std::string_view bytes) const;
  std::size_t longest_bytes() const { return longest_bytes_; }

  static constexpr std::size_t kMostPieceBytes = (std::size_t{1} << 24) - 1;

 private:
  struct Slot {
    const char* data = nullptr;
    std::uint32_t key = 0;  // the size and eight bits of the hash, so that few others are compared
    TokenId token{-1};      // -1: free
  };
  /// Where the bytes stand or would stand, and their Slot::key.
  struct Place {
    std::size_t slot = 0;
    std::uint32_t key = 0;
  };
  Place place_of(std::string_view bytes) const;

  std::vector<Slot> slots_;  // a power of two, at most two thirds full
  std::size_t longest_bytes_ = 0;
};

}  // namespace cairn::text
