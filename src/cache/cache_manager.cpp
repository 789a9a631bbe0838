#include "cache/cache_manager.h"

#include <algorithm>

#include "base/check.h"

namespace cairn::cache {
CacheManager::CacheManager(std::vector<PageGroup> groups, CacheOptions options)
    : groups_(std::move(groups)),
      options_(std::move(options)),
      promised_(groups_.size(), 0),
      entries_(static_cast<std::size_t>(options_.max_sequences + options_.max_retained)),
      retained_(options_.max_retained, options_.sequence_tokens) {
  CHECK(options_.page_counts.size() == groups_.size(), "{} counts for {} groups",
        options_.page_counts.size(), groups_.size());
  CHECK(options_.page_tokens > 0 && options_.chunk_tokens > 0, "{} tokens a page, {} a chunk",
        options_.page_tokens, options_.chunk_tokens);
  for (const std::int32_t count : options_.page_counts) pools_.emplace_back(count);
  const std::int32_t pages = pages_to_hold(options_.sequence_tokens, options_.page_tokens);
  free_tables_.reserve(entries_.size());
  for (std::size_t index = entries_.size(); index-- > 0;) {
    free_tables_.emplace_back(static_cast<std::int32_t>(index));
    entries_[index].tables.resize(groups_.size());
    entries_[index].quotas.resize(groups_.size());
    for (PageTable& table : entries_[index].tables) table.reserve(pages);
  }
}

std::int32_t CacheManager::Entry::promised(std::size_t group) const {
  return open ? std::max(0, quotas[group] - tables[group].held_count()) : 0;
}

CacheManager::Entry& CacheManager::entry(TableId table) {
  CHECK(table.value >= 0 && static_cast<std::size_t>(table.value) < entries_.size(), "table {}",
        table.value);
  return entries_[static_cast<std::size_t>(table.value)];
}

const CacheManager::Entry& CacheManager::entry(TableId table) const {
  CHECK(table.value >= 0 && static_cast<std::size_t>(table.value) < entries_.size(), "table {}",
        table.value);
  return entries_[static_cast<std::size_t>(table.value)];
}

bool CacheManager::fits(std::int32_t token_count) const {
  if (token_count > options_.sequence_tokens) return false;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int32_t needed = pages_needed(groups_[group].state, token_count,
                                             options_.page_tokens, options_.chunk_tokens);
    if (needed > pools_[group].page_count()) return false;
  }
  return true;
}

std::int32_t CacheManager::available(std::size_t group) const {
  return pools_[group].free_count() + pools_[group].cached_count() - promised_[group];
}

std::int32_t CacheManager::open_count() const {
  return static_cast<std::int32_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.open; }));
}

std::int64_t CacheManager::owned_pages() const {
  std::int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.owned_count();
  return sum;
}

bool CacheManager::window_held(const Entry& entry, std::int32_t token_count) const {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int32_t first = first_visible(groups_[group].state, token_count);
    if (entry.tables[group].first_held() * options_.page_tokens > first) return false;
  }
  return true;
}

std::optional<CacheManager::Match> CacheManager::find_match(std::span<const TokenId> tokens,
                                                            std::uint64_t salt) const {
  Match best;
  const auto retained = retained_.entries();
  for (std::size_t index = 0; index < retained.size(); ++index) {
    if (retained[index].salt != salt) continue;
    const std::int32_t most = static_cast<std::int32_t>(tokens.size()) - 1;
    const std::int32_t common = std::min(most, common_prefix(retained[index].tokens, tokens));
    if (common <= best.token_count || !window_held(entry(retained[index].table), common)) continue;
    best = {index, common};
  }
  // Less than a page is not worth what the taken sequence loses.
  if (best.token_count < options_.page_tokens) return std::nullopt;
  return best;
}

std::int32_t CacheManager::match_prefix(std::span<const TokenId> tokens, std::uint64_t salt) const {
  const auto match = find_match(tokens, salt);
  return match ? match->token_count : 0;
}

std::optional<TableId> CacheManager::open(std::span<const TokenId> prompt, std::uint64_t salt,
                                          std::int32_t promised_tokens) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int32_t needed = pages_needed(groups_[group].state, promised_tokens,
                                             options_.page_tokens, options_.chunk_tokens);
    if (needed > available(group)) return std::nullopt;
  }
  std::optional<TableId> table;
  if (const auto match = find_match(prompt, salt)) {
    table = retained_.take(match->index);
    take_over(*table, match->token_count);
  } else {
    table = take_table();
    if (!table) return std::nullopt;
  }
  Entry& opened = entry(*table);
  opened.open = true;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    opened.quotas[group] = pages_needed(groups_[group].state, promised_tokens, options_.page_tokens,
                                        options_.chunk_tokens);
    promised_[group] += opened.promised(group);
  }
  return table;
}

std::optional<TableId> CacheManager::take_table() {
  if (free_tables_.empty() && !retained_.empty()) evict_oldest();
  if (free_tables_.empty()) return std::nullopt;
  const TableId table = free_tables_.back();
  free_tables_.pop_back();
  return table;
}

void CacheManager::take_over(TableId table, std::int32_t token_count) {
  Entry& taken = entry(table);
  const std::int32_t pages = pages_to_hold(token_count, options_.page_tokens);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const PageId page : taken.tables[group].held()) {
      pools_[group].share(page);
      pools_[group].forget(page);
    }
    while (taken.tables[group].size() > pages && taken.tables[group].held_count() > 0) {
      pools_[group].release(taken.tables[group].drop_last());
    }
    taken.computed_count = token_count;
    drop_left_window(taken, group);
  }
}

bool CacheManager::extend(TableId table, std::int32_t token_count) {
  Entry& grown = entry(table);
  CHECK(grown.open && token_count <= options_.sequence_tokens, "table {}, {} tokens", table.value,
        token_count);
  const std::int32_t pages = pages_to_hold(token_count, options_.page_tokens);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int32_t wanted = pages - grown.tables[group].size();
    if (wanted - grown.promised(group) > available(group)) return false;
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    promised_[group] -= grown.promised(group);
    while (grown.tables[group].size() < pages) {
      std::optional<PageId> page = pools_[group].take();
      while (!page) {
        evict_oldest();
        page = pools_[group].take();
      }
      grown.tables[group].append(*page);
    }
    promised_[group] += grown.promised(group);
  }
  return true;
}

void CacheManager::advance(TableId table, std::int32_t computed_count) {
  Entry& advanced = entry(table);
  CHECK(advanced.open && computed_count >= advanced.computed_count, "table {}: {} after {}",
        table.value, computed_count, advanced.computed_count);
  advanced.computed_count = computed_count;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    promised_[group] -= advanced.promised(group);
    drop_left_window(advanced, group);
    promised_[group] += advanced.promised(group);
  }
}

void CacheManager::drop_left_window(Entry& entry, std::size_t group) {
  const std::int32_t first = first_visible(groups_[group].state, entry.computed_count);
  PageTable& table = entry.tables[group];
  while (table.held_count() > 0 && table.first_held() < first / options_.page_tokens) {
    pools_[group].release(table.drop_first());
  }
}

void CacheManager::close(TableId table, std::span<const TokenId> tokens, std::uint64_t salt) {
  Entry& closed = entry(table);
  CHECK(closed.open, "table {} is not open", table.value);
  const auto computed = static_cast<std::size_t>(closed.computed_count);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    promised_[group] -= closed.promised(group);
  }
  closed.open = false;
  if (options_.max_retained == 0 || computed == 0 || tokens.size() < computed) {
    release_all(closed);
    free_tables_.push_back(table);
    return;
  }
  if (retained_.full()) evict_oldest();
  const std::int32_t pages = pages_to_hold(closed.computed_count, options_.page_tokens);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    while (closed.tables[group].size() > pages) {
      pools_[group].release(closed.tables[group].drop_last());
    }
    for (const PageId page : closed.tables[group].held()) {
      pools_[group].remember(page);
      pools_[group].release(page);
    }
  }
  retained_.add(table, tokens.first(computed), salt);
}

void CacheManager::release_all(Entry& entry) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    PageTable& table = entry.tables[group];
    while (table.held_count() > 0) pools_[group].release(table.drop_last());
    table.clear();
  }
  entry.computed_count = 0;
}

void CacheManager::evict_oldest() {
  const TableId table = retained_.take(retained_.oldest());
  Entry& evicted = entry(table);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    PageTable& pages = evicted.tables[group];
    while (pages.held_count() > 0) pools_[group].forget(pages.drop_last());
    pages.clear();
  }
  evicted.computed_count = 0;
  free_tables_.push_back(table);
}

void CacheManager::clear_retained() {
  while (!retained_.empty()) evict_oldest();
}

}  // namespace cairn::cache
