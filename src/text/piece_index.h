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

  /// The bytes must outlive the index. False, and no change, if they are there already.
  bool insert(std::string_view bytes, TokenId token);
  std::optional<TokenId> find(std::string_view bytes) const;
  std::size_t longest_bytes() const { return longest_bytes_; }

 private:
  struct Slot {
    const char* data = nullptr;
    std::uint32_t size_bytes = 0;
    TokenId token{-1};  // -1: free
  };
  std::size_t slot_of(std::string_view bytes) const;

  std::vector<Slot> slots_;  // a power of two, at most two thirds full
  std::size_t longest_bytes_ = 0;
};

}  // namespace cairn::text
