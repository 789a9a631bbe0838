#pragma once
// Who holds which page of one page group. A page is in exactly one of three states, and the counts
// always add up to page_count (invariant M2):
//
//             take()                    release() of the last reference, not remembered
//     free  ---------->  owned (n refs) ----------------------------------------------> free
//                          ^      |
//                 share()  |      |  release() of the last reference, remembered
//                          |      v
//                         cached (0 refs; what is in it may be used again) --forget()--> free
//
// Cached pages stand in a list, in the order in which they came to be cached.
//
// Integers only. Not thread-safe. Allocates in the constructor only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace cairn::cache {

class PagePool {
 public:
  static constexpr PageId kNone{-1};

  explicit PagePool(std::int32_t page_count);

  std::int32_t page_count() const { return static_cast<std::int32_t>(pages_.size()); }
  std::int32_t free_count() const { return static_cast<std::int32_t>(free_.size()); }
  std::int32_t cached_count() const { return cached_count_; }
  std::int32_t owned_count() const { return page_count() - free_count() - cached_count_; }

  /// A free page, now owned with one reference; nothing if none is free.
  std::optional<PageId> take();
  /// One more reference. REQUIRES: owned or cached.
  void share(PageId page);
  /// One reference less. REQUIRES: owned.
  void release(PageId page);

  /// The page's content is known to a prefix index: it is cached, not free, when nobody owns it.
  /// REQUIRES: owned, not remembered.
  void remember(PageId page);
  /// The prefix index gives it up. REQUIRES: remembered.
  void forget(PageId page);

  std::int32_t reference_count(PageId page) const { return at(page).references; }
  bool remembered(PageId page) const { return at(page).remembered; }

  /// The cached page that has been cached longest, or kNone.
  PageId oldest_cached() const { return oldest_; }
  /// The one cached after it, or kNone. REQUIRES: cached.
  PageId newer_cached(PageId page) const { return at(page).newer; }

  /// All pages are free.
  void clear();

  /// A sentence about the first fault, or empty. Allocates; for tests and idle times.
  std::string check_integrity() const;

 private:
  struct Page {
    std::int32_t references = 0;
    bool remembered = false;
    PageId older = kNone;  // both while cached
    PageId newer = kNone;
  };
  Page& at(PageId page);
  const Page& at(PageId page) const;
  void link_newest(PageId page);
  void unlink(PageId page);
  std::string check_cached_list() const;

  std::vector<Page> pages_;
  std::vector<PageId> free_;  // the one freed last is taken first: it may still be in a CPU cache
  std::int32_t cached_count_ = 0;
  PageId oldest_ = kNone;
  PageId newest_ = kNone;
};

}  // namespace cairn::cache
