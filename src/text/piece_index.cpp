#include "text/piece_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "text/byte_words.h"

namespace cairn::text {

PieceIndex::PieceIndex(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

std::size_t PieceIndex::slot_of(std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  const auto is_other = [&](const Slot& slot) {
    return slot.token.value >= 0 && (slot.size_bytes != bytes.size() ||
                                     std::memcmp(slot.data, bytes.data(), bytes.size()) != 0);
  };
  std::size_t slot = hash_bytes(bytes) & mask;
  while (is_other(slots_[slot])) slot = (slot + 1) & mask;
  return slot;
}

bool PieceIndex::insert(std::string_view bytes, TokenId token) {
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) return false;
  Slot& slot = slots_[slot_of(bytes)];
  if (slot.token.value >= 0) return false;
  slot = {bytes.data(), static_cast<std::uint32_t>(bytes.size()), token};
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
