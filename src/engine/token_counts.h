#pragma once
// A number for each of some tokens: a hash table as large as their count, whatever the vocabulary.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace cairn::engine {

/// Not thread-safe. Allocates only where more tokens come than were reserved for.
class TokenCounts {
 public:
  struct Entry {
    TokenId token;
    std::int32_t count = 0;
  };

  /// Room for so many different tokens.
  void reserve(std::size_t token_count) {
    if (2 * token_count <= slots_.size()) return;
    entries_.reserve(token_count);
    slots_.assign(std::bit_ceil(2 * token_count + 1), kNone);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      *slot_of(entries_[i].token) = static_cast<std::int32_t>(i);
    }
  }

  /// The count of a token, 0 when it is new; valid until the next call.
  std::int32_t& operator[](TokenId token) {
    reserve(entries_.size() + 1);
    std::int32_t* slot = slot_of(token);
    if (*slot == kNone) {
      *slot = static_cast<std::int32_t>(entries_.size());
      entries_.push_back({token});
    }
    return entries_[static_cast<std::size_t>(*slot)].count;
  }

  /// In the order in which the tokens came.
  std::span<const Entry> entries() const { return entries_; }

  /// Takes time by the tokens there are. Keeps the memory.
  void clear() {
    // Backwards, so that a token is still found past those it had to step over.
    while (!entries_.empty()) {
      *slot_of(entries_.back().token) = kNone;
      entries_.pop_back();
    }
  }

 private:
  static constexpr std::int32_t kNone = -1;

  /// Where the token's index stands, or the free slot for it.
  std::int32_t* slot_of(TokenId token) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (static_cast<std::uint32_t>(token.value) * 2654435769U) & mask;
    while (slots_[slot] != kNone &&
           entries_[static_cast<std::size_t>(slots_[slot])].token != token) {
      slot = (slot + 1) & mask;
    }
    return &slots_[slot];
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // a power of two, at most half full; index into entries_
};

}  // namespace cairn::engine
