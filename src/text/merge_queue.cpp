#include "text/merge_queue.h"

#include <algorithm>
#include <functional>

namespace cairn::text {

namespace {

constexpr std::size_t kLongPiece = 4096;  // a heap of fewer stays in the cache
constexpr std::size_t kUsualKeys = 1 << 16;

}  // namespace

void MergeQueue::start(std::size_t symbol_count) {
  heap_.clear();
  for (Run& run : runs_) {
    run.keys.clear();
    run.head = 0;
  }
  run_count_ = symbol_count > kLongPiece ? runs_.size() : 0;
}

void MergeQueue::push(std::uint32_t rank, std::uint32_t left) {
  const Key key = Key{rank} << 32 | left;
  // Of the runs that the key may follow, the one with the highest end: the others stay open for
  // lower keys.
  Run* best = nullptr;
  for (std::size_t i = 0; i < run_count_; ++i) {
    Run& run = runs_[i];
    if (run.empty()) {
      run.keys.clear();
      run.head = 0;
      if (best == nullptr) best = &run;
    } else if (run.keys.back() <= key &&
               (best == nullptr || best->empty() || best->keys.back() < run.keys.back())) {
      best = &run;
    }
  }
  if (best != nullptr) {
    best->keys.push_back(key);
    return;
  }
  heap_.push_back(key);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

std::optional<MergeQueue::Pair> MergeQueue::pop() {
  constexpr Key kNone = ~Key{0};
  Key best = heap_.empty() ? kNone : heap_.front();
  Run* from = nullptr;
  for (std::size_t i = 0; i < run_count_; ++i) {
    Run& run = runs_[i];
    if (run.empty() || run.keys[run.head] >= best) continue;
    best = run.keys[run.head];
    from = &run;
  }
  if (best == kNone) return std::nullopt;
  if (from != nullptr) {
    ++from->head;
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
  }
  return Pair{static_cast<std::uint32_t>(best >> 32), static_cast<std::uint32_t>(best)};
}

void MergeQueue::shrink() {
  if (heap_.capacity() > kUsualKeys) std::vector<Key>().swap(heap_);
  for (Run& run : runs_) {
    if (run.keys.capacity() > kUsualKeys) std::vector<Key>().swap(run.keys);
  }
}

}  // namespace cairn::text
