#pragma once
// For tests: what stands in every page, where the content of a position is a hash of all tokens up
// to it. A page that is shared, kept or copied wrongly holds something else than its reader's own.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cache/paged_cache.h"

namespace cairn::cache {

/// By position: what the pages of a sequence with these tokens must hold.
inline std::vector<std::uint64_t> contents_of(std::span<const TokenId> tokens, std::uint64_t salt) {
  std::vector<std::uint64_t> contents;
  std::uint64_t state = salt * 0x9e3779b97f4a7c15U + 1;
  for (const TokenId token : tokens) {
    state = (state ^ static_cast<std::uint64_t>(token.value + 1)) * 0xff51afd7ed558ccdU;
    state ^= state >> 29;
    contents.push_back(state);
  }
  return contents;
}

class PageContents {
 public:
  PageContents(std::size_t group_count, std::int32_t page_count, std::int32_t page_tokens)
      : page_tokens_(page_tokens),
        groups_(group_count,
                std::vector<std::uint64_t>(static_cast<std::size_t>(page_count * page_tokens), 0)) {
  }

  std::uint64_t& at(std::size_t group, std::span<const PageId> pages, std::int32_t position) {
    const PageId page = pages[static_cast<std::size_t>(position / page_tokens_)];
    const std::int32_t slot = page.value * page_tokens_ + position % page_tokens_;
    return groups_[group].at(static_cast<std::size_t>(slot));
  }
  void copy(const PageCopy& copy) {
    auto& group = groups_[static_cast<std::size_t>(copy.group)];
    const auto from = group.begin() + copy.from.value * page_tokens_;
    std::copy(from, from + copy.token_count, group.begin() + copy.to.value * page_tokens_);
  }

 private:
  std::int32_t page_tokens_;
  std::vector<std::vector<std::uint64_t>> groups_;  // [pages, page_tokens]
};

}  // namespace cairn::cache
