#pragma once
// The pages of one sequence in one page group, in the order of positions:
//
//     index      0    1    2    3    4          entry i holds positions
//     page       -    -    17   3    8          [i * page_tokens, (i + 1) * page_tokens)
//                           ^        ^
//                    first_held     size - 1    entries before first_held have left the window
//
// Attention reads the entries directly. Not thread-safe; allocates in reserve() only.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace cairn::cache {

/// The page tables, one a group, of one sequence.
using TableId = base::Id<struct TableTag>;

class PageTable {
 public:
  static constexpr PageId kNoPage{-1};

  void reserve(std::int32_t page_count) { pages_.reserve(static_cast<std::size_t>(page_count)); }

  std::span<const PageId> pages() const { return pages_; }
  std::span<const PageId> held() const {
    return std::span(pages_).subspan(static_cast<std::size_t>(first_held_));
  }
  std::int32_t size() const { return static_cast<std::int32_t>(pages_.size()); }
  std::int32_t first_held() const { return first_held_; }
  std::int32_t held_count() const { return size() - first_held_; }

  PageId at(std::int32_t index) const { return pages_[static_cast<std::size_t>(index)]; }

  /// An empty table gets `size` entries, to be given pages from `first_held` on. REQUIRES: empty,
  /// first_held <= size.
  void start(std::int32_t first_held, std::int32_t size) {
    CHECK(
        pages_.empty() && first_held <= size && static_cast<std::size_t>(size) <= pages_.capacity(),
        "{} of {} entries, {} before", first_held, size, pages_.size());
    pages_.resize(static_cast<std::size_t>(size), kNoPage);
    first_held_ = first_held;
  }
  /// Entry `index` gets `page`; returns what it had. REQUIRES: first_held <= index < size.
  PageId replace(std::int32_t index, PageId page) {
    CHECK(index >= first_held_ && index < size(), "entry {} of [{}, {})", index, first_held_,
          size());
    return std::exchange(pages_[static_cast<std::size_t>(index)], page);
  }
  void append(PageId page) {
    CHECK(pages_.size() < pages_.capacity(), "a table of {} pages", pages_.capacity());
    pages_.push_back(page);
  }
  /// REQUIRES for both: held_count() > 0.
  PageId drop_first() {
    CHECK(held_count() > 0, "an empty table");
    PageId& entry = pages_[static_cast<std::size_t>(first_held_++)];
    return std::exchange(entry, kNoPage);
  }
  PageId drop_last() {
    CHECK(held_count() > 0, "an empty table");
    const PageId page = pages_.back();
    pages_.pop_back();
    return page;
  }
  void clear() {
    CHECK(held_count() == 0, "{} pages would be lost", held_count());
    forget();
  }
  /// Empty, whatever it held.
  void forget() {
    pages_.clear();
    first_held_ = 0;
  }

 private:
  std::vector<PageId> pages_;
  std::int32_t first_held_ = 0;
};

}  // namespace cairn::cache
