#include "cache/page_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace cairn::cache {

PagePool::PagePool(std::int32_t page_count) : pages_(static_cast<std::size_t>(page_count)) {
  free_.reserve(pages_.size());
  clear();
}

void PagePool::clear() {
  std::fill(pages_.begin(), pages_.end(), Page{});
  free_.clear();
  for (std::int32_t page = page_count() - 1; page >= 0; --page) free_.emplace_back(page);
  cached_count_ = 0;
  oldest_ = newest_ = kNone;
}

PagePool::Page& PagePool::at(PageId page) {
  CHECK(page.value >= 0 && page.value < page_count(), "page {} of {}", page.value, page_count());
  return pages_[static_cast<std::size_t>(page.value)];
}

const PagePool::Page& PagePool::at(PageId page) const {
  CHECK(page.value >= 0 && page.value < page_count(), "page {} of {}", page.value, page_count());
  return pages_[static_cast<std::size_t>(page.value)];
}

void PagePool::link_newest(PageId page) {
  at(page).older = newest_;
  if (newest_ != kNone) {
    at(newest_).newer = page;
  } else {
    oldest_ = page;
  }
  newest_ = page;
  ++cached_count_;
}

void PagePool::unlink(PageId page) {
  Page& entry = at(page);
  (entry.older != kNone ? at(entry.older).newer : oldest_) = entry.newer;
  (entry.newer != kNone ? at(entry.newer).older : newest_) = entry.older;
  entry.older = entry.newer = kNone;
  --cached_count_;
}

std::optional<PageId> PagePool::take() {
  if (free_.empty()) return std::nullopt;
  const PageId page = free_.back();
  free_.pop_back();
  at(page).references = 1;
  return page;
}

void PagePool::share(PageId page) {
  Page& entry = at(page);
  CHECK(entry.references > 0 || entry.remembered, "page {} is free", page.value);
  if (entry.references == 0) unlink(page);
  ++entry.references;
}

void PagePool::release(PageId page) {
  Page& entry = at(page);
  CHECK(entry.references > 0, "page {} has no owner", page.value);
  if (--entry.references > 0) return;
  if (entry.remembered) {
    link_newest(page);
  } else {
    free_.push_back(page);
  }
}

void PagePool::remember(PageId page) {
  Page& entry = at(page);
  CHECK(entry.references > 0 && !entry.remembered, "page {}: {} references, remembered {}",
        page.value, entry.references, entry.remembered);
  entry.remembered = true;
}

void PagePool::forget(PageId page) {
  Page& entry = at(page);
  CHECK(entry.remembered, "page {} is not remembered", page.value);
  entry.remembered = false;
  if (entry.references > 0) return;
  unlink(page);
  free_.push_back(page);
}

std::string PagePool::check_integrity() const {
  std::int32_t cached = 0;
  std::int32_t unused = 0;
  for (const Page& page : pages_) {
    if (page.references < 0) return "a page has a negative reference count";
    cached += page.references == 0 && page.remembered ? 1 : 0;
    unused += page.references == 0 && !page.remembered ? 1 : 0;
  }
  if (cached != cached_count_) {
    return fmt::format("{} pages are cached, {} are counted", cached, cached_count_);
  }
  if (unused != free_count()) {
    return fmt::format("{} pages are free, {} stand in the free list", unused, free_count());
  }
  std::vector<bool> listed(pages_.size(), false);
  for (const PageId page : free_) {
    if (page.value < 0 || page.value >= page_count()) {
      return fmt::format("free page {} of {}", page.value, page_count());
    }
    const auto index = static_cast<std::size_t>(page.value);
    if (listed[index]) return fmt::format("page {} stands twice in the free list", page.value);
    if (pages_[index].references != 0 || pages_[index].remembered) {
      return fmt::format("page {} is in use and in the free list", page.value);
    }
    listed[index] = true;
  }
  return check_cached_list();
}

std::string PagePool::check_cached_list() const {
  std::int32_t listed = 0;
  PageId before = kNone;
  for (PageId page = oldest_; page != kNone; page = at(page).newer) {
    const Page& entry = at(page);
    if (entry.references != 0 || !entry.remembered || entry.older != before) {
      return fmt::format(
          "page {} in the list of cached ones: {} references, remembered {}, after "
          "page {} instead of {}",
          page.value, entry.references, entry.remembered, before.value, entry.older.value);
    }
    if (++listed > cached_count_) break;
    before = page;
  }
  if (listed != cached_count_ || before != newest_) {
    return fmt::format("{} pages are cached, the list of them ends after {} with page {}",
                       cached_count_, listed, before.value);
  }
  return {};
}

}  // namespace cairn::cache
