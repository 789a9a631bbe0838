#include "cache/retained_sequences.h"

#include <algorithm>

#include "base/check.h"

namespace cairn::cache {

RetainedSequences::RetainedSequences(std::int32_t capacity, std::int32_t sequence_tokens)
    : entries_(static_cast<std::size_t>(capacity)) {
  for (RetainedSequence& entry : entries_) {
    entry.tokens.reserve(static_cast<std::size_t>(sequence_tokens));
  }
}

void RetainedSequences::add(TableId table, std::span<const TokenId> tokens, std::uint64_t salt) {
  CHECK(!full(), "{} retained sequences", count_);
  RetainedSequence& entry = entries_[count_++];
  CHECK(tokens.size() <= entry.tokens.capacity(), "{} tokens", tokens.size());
  entry.table = table;
  entry.salt = salt;
  entry.last_used = uses_++;
  entry.tokens.assign(tokens.begin(), tokens.end());
}

TableId RetainedSequences::take(std::size_t index) {
  CHECK(index < count_, "entry {} of {}", index, count_);
  const TableId table = entries_[index].table;
  std::swap(entries_[index], entries_[--count_]);
  return table;
}

std::size_t RetainedSequences::oldest() const {
  CHECK(!empty(), "nothing is retained");
  const auto used = entries();
  const auto found = std::min_element(used.begin(), used.end(), [](const auto& a, const auto& b) {
    return a.last_used < b.last_used;
  });
  return static_cast<std::size_t>(found - used.begin());
}

std::int32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  const std::size_t length = std::min(a.size(), b.size());
  const auto end = a.begin() + static_cast<std::ptrdiff_t>(length);
  return static_cast<std::int32_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

}  // namespace cairn::cache
