#pragma once
// Sequences that wait to start, first the one that starts next: by Order::key, ties by arrival.
// Each knows how much of it the cache holds (hit_count). Not thread-safe; allocates in the
// constructor only.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/paged_cache.h"
#include "schedule/policies/order.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

class WaitingLine {
 public:
  /// Both must outlive this.
  WaitingLine(const Order& order, const cache::PagedCache& cache, std::int32_t capacity);

  std::int32_t size() const { return static_cast<std::int32_t>(sequences_.size()); }
  std::int32_t capacity() const { return static_cast<std::int32_t>(sequences_.capacity()); }
  std::span<Sequence* const> sequences() const { return sequences_; }

  /// Looks its hit up and gives it its place. REQUIRES: size() < capacity().
  void add(Sequence& sequence);
  /// REQUIRES: it is here.
  void remove(Sequence& sequence);
  /// Looks hits up again where the cache has changed since: so many a call that it costs little,
  /// one line after the other.
  void refresh();

 private:
  bool look_up(Sequence& sequence);
  bool before(const Sequence& a, const Sequence& b) const;

  const Order& order_;
  const cache::PagedCache& cache_;
  std::vector<Sequence*> sequences_;
  std::size_t next_refresh_ = 0;
};

}  // namespace cairn::schedule
