#include "text/piece_index.h"

#include <algorithm>
#include <bit>

#include "text/byte_words.h"

namespace cairn::text {

PieceIndex::PieceIndex(std::size_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

PieceIndex::Place PieceIndex::place_of(std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t hash = hash_bytes(bytes);
  const auto key = static_cast<std::uint32_t>(hash >> 56 << 24 | bytes.size());
  const auto is_other = [&](const Slot& slot) {
    return slot.token.value >= 0 && (slot.key != key || !equal_bytes(slot.data, bytes));
  };
  std::size_t slot = hash & mask;
  while (is_other(slots_[slot])) slot = (slot + 1) & mask;
  return {slot, key};
}

bool PieceIndex::insert(std::string_view bytes, TokenId token) {
  if (bytes.size() > kMostPieceBytes) return false;
  const Place place = place_of(bytes);
  Slot& slot = slots_[place.slot];
  if (slot.token.value >= 0) return false;
  slot = {bytes.data(), place.key, token};
  longest_bytes_ = std::max(longest_bytes_, bytes.size());
  return true;
}

std::optional<TokenId> PieceIndex::find(std::string_view bytes) const {
  if (bytes.size() > longest_bytes_) return std::nullopt;
  const Slot& slot = slots_[place_of(bytes).slot];
  if (slot.token.value < 0) return std::nullopt;
  return slot.token;
}

}  // namespace cairn::text
