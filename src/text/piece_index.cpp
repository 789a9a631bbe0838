#include "text/piece_index.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cairn::text {

PieceIndex::PieceIndex(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

std::size_t PieceIndex::slot_of(std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(bytes)&mask;
  while (slots_[slot].token.value >= 0 && slots_[slot].bytes != bytes) slot = (slot + 1) & mask;
  return slot;
}

bool PieceIndex::insert(std::string_view bytes, TokenId token) {
  Slot& slot = slots_[slot_of(bytes)];
  if (slot.token.value >= 0) return false;
  slot = {bytes, token};
  longest_bytes_ = std::max(longest_bytes_, bytes.size());
  return true;
}

std::optional<TokenId> PieceIndex::find(std::string_view bytes) const {
  if (bytes.size() > longest_bytes_) return std::nullopt;
  const Slot& slot = slots_[slot_of(bytes)];
  if (slot.token.value < 0) return std::nullopt;
  return slot.token;
}

}  // namespace cairn::text
