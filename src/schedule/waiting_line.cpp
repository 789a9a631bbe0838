#include "schedule/waiting_line.h"

#include <algorithm>

#include "base/check.h"

namespace cairn::schedule {
namespace {

/// Prompt tokens that one refresh() looks up.
constexpr std::int32_t kRefreshedTokens = 1024;

}  // namespace

WaitingLine::WaitingLine(const Order& order, const cache::PagedCache& cache, std::int32_t capacity)
    : order_(order), cache_(cache) {
  sequences_.reserve(static_cast<std::size_t>(capacity));
}

bool WaitingLine::before(const Sequence& a, const Sequence& b) const {
  if (a.order_key != b.order_key) return a.order_key < b.order_key;
  return a.arrival_number < b.arrival_number;
}

bool WaitingLine::look_up(Sequence& sequence) {
  const std::int32_t known = sequence.hit_count;
  sequence.hit_version = cache_.version();
  sequence.hit_count =
      cache_.match_prefix(sequence.reusable_tokens(), sequence.request->cache_salt);
  sequence.order_key = order_.key(sequence);
  return sequence.hit_count != known;
}

void WaitingLine::add(Sequence& sequence) {
  CHECK(sequences_.size() < sequences_.capacity(), "{} sequences wait", sequences_.size());
  look_up(sequence);
  const auto place =
      std::upper_bound(sequences_.begin(), sequences_.end(), &sequence,
                       [this](const Sequence* a, const Sequence* b) { return before(*a, *b); });
  sequences_.insert(place, &sequence);
}

void WaitingLine::remove(Sequence& sequence) {
  const std::size_t erased = std::erase(sequences_, &sequence);
  CHECK(erased == 1, "sequence {} does not wait", sequence.id.value);
}

void WaitingLine::refresh() {
  bool changed = false;
  std::int32_t tokens = 0;
  for (std::size_t seen = 0; seen < sequences_.size() && tokens < kRefreshedTokens; ++seen) {
    if (next_refresh_ >= sequences_.size()) next_refresh_ = 0;
    Sequence& sequence = *sequences_[next_refresh_++];
    if (sequence.hit_version == cache_.version()) continue;
    tokens += sequence.token_count();
    changed |= look_up(sequence);
  }
  if (!changed) return;
  std::sort(sequences_.begin(), sequences_.end(),
            [this](const Sequence* a, const Sequence* b) { return before(*a, *b); });
}

}  // namespace cairn::schedule
