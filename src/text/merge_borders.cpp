#include "text/merge_borders.h"

#include <algorithm>
#include <bit>

namespace cairn::text {

namespace {

constexpr std::size_t kBitsPerMerge = 8;
constexpr std::size_t kWordBits = 64;

/// Up to three bytes and how many they are.
std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = bytes.size();
  for (const char c : bytes) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}

}  // namespace

MergeBorders::MergeBorders(std::size_t merge_count)
    : contexts_(std::bit_ceil(merge_count * kBitsPerMerge / kWordBits + 1)) {}

std::size_t MergeBorders::bit_of(std::string_view before, std::string_view after) const {
  const std::uint64_t key = number_of(before) << 32 | number_of(after);
  const std::uint64_t hash = (key ^ key >> 29) * 0x9E3779B97F4A7C15ULL;
  return hash >> 32 & (contexts_.size() * kWordBits - 1);
}

void MergeBorders::add(std::string_view left, std::string_view right) {
  const auto before = static_cast<std::uint8_t>(left.back());
  const auto after = static_cast<std::uint8_t>(right.front());
  if (after < kFirstLongLead || left.size() < kContextBytes) {
    byte_pairs_.set(std::size_t{before} << 8 | after);
    return;
  }
  const std::size_t bit =
      bit_of(left.substr(left.size() - kContextBytes), right.substr(0, kContextBytes));
  contexts_[bit / kWordBits] |= std::uint64_t{1} << bit % kWordBits;
}

void MergeBorders::keep_joined(std::uint8_t byte) {
  for (std::size_t other = 0; other < 256; ++other) {
    byte_pairs_.set(std::size_t{byte} << 8 | other);
    byte_pairs_.set(other << 8 | byte);
  }
}

bool MergeBorders::contexts_join(std::string_view piece, std::size_t at) const {
  const std::string_view before = piece.substr(at - kContextBytes, kContextBytes);
  const std::string_view after = piece.substr(at, kContextBytes);
  for (std::size_t size_bytes = 1; size_bytes <= after.size(); ++size_bytes) {
    const std::size_t bit = bit_of(before, after.substr(0, size_bytes));
    if ((contexts_[bit / kWordBits] >> bit % kWordBits & 1) != 0) return true;
  }
  return false;
}

}  // namespace cairn::text
