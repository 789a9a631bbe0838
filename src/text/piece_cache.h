#pragma once
// Remembers the tokens of short pieces: text repeats its words. Bounded, allocates once. Not
// thread-safe.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace cairn::text {

class PieceCache {
 public:
  static constexpr std::size_t kLongestPieceBytes = 24;
  static constexpr std::size_t kMostTokens = 8;

  /// Appends the tokens of `piece` (not empty) to `tokens`; false if they are not known.
  bool find(std::string_view piece, std::vector<TokenId>& tokens) const;
  /// Remembers them in the place of another piece. Long pieces and long answers are left out.
  void insert(std::string_view piece, std::span<const TokenId> tokens);

 private:
  struct Key {
    std::array<std::uint64_t, kLongestPieceBytes / 8> words{};
    std::uint32_t size_bytes = 0;
    bool operator==(const Key& other) const {  // the defaulted one would call memcmp
      return words[0] == other.words[0] && words[1] == other.words[1] &&
             words[2] == other.words[2] && size_bytes == other.size_bytes;
    }
  };
  struct Entry {
    Key key;
    std::uint32_t count = 0;
    std::array<TokenId, kMostTokens> tokens;
  };
  static constexpr std::size_t kEntryCount = 1 << 13;  // 512 KiB

  static Key key_of(std::string_view piece);
  static std::size_t slot_of(const Key& key);

  std::vector<Entry> entries_ = std::vector<Entry>(kEntryCount);
};

}  // namespace cairn::text
