// CacheManager::check_integrity(): what must hold between any two calls.

#include <fmt/format.h>

#include "cache/cache_manager.h"

namespace cairn::cache {

std::string CacheManager::check_integrity() const {
  const auto opened = static_cast<std::size_t>(open_count());
  const std::size_t retained_count = retained_.entries().size();
  if (opened + retained_count + free_tables_.size() != entries_.size()) {
    return fmt::format("{} open + {} retained + {} free tables are not {}", opened, retained_count,
                       free_tables_.size(), entries_.size());
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::string fault = pools_[group].check_integrity();
    if (fault.empty()) fault = check_references(group);
    if (!fault.empty()) return fmt::format("page group {}: {}", group, fault);
  }
  return {};
}

std::string CacheManager::check_references(std::size_t group) const {
  const PagePool& pool = pools_[group];
  std::vector<std::int32_t> references(static_cast<std::size_t>(pool.page_count()), 0);
  std::vector<bool> retained(references.size(), false);
  std::int32_t promised = 0;
  for (const Entry& entry : entries_) {
    promised += entry.promised(group);
    const PageTable& table = entry.tables[group];
    if (entry.open && table.size() * options_.page_tokens < entry.computed_count) {
      return fmt::format("{} pages for {} computed positions", table.size(), entry.computed_count);
    }
    for (const PageId page : table.held()) {
      if (page.value < 0 || page.value >= pool.page_count()) {
        return fmt::format("page {} in a table", page.value);
      }
      const auto index = static_cast<std::size_t>(page.value);
      if (entry.open) {
        ++references[index];
      } else {
        retained[index] = true;
      }
    }
  }
  for (std::int32_t page = 0; page < pool.page_count(); ++page) {
    const auto index = static_cast<std::size_t>(page);
    if (pool.reference_count(PageId(page)) != references[index]) {
      return fmt::format("page {} has {} references and stands in {} tables", page,
                         pool.reference_count(PageId(page)), references[index]);
    }
    if (pool.remembered(PageId(page)) != retained[index]) {
      return fmt::format("page {}: remembered and retained differ", page);
    }
  }
  if (promised != promised_[group]) {
    return fmt::format("{} pages are promised, {} are counted", promised, promised_[group]);
  }
  if (available(group) < 0) return fmt::format("{} pages too many are promised", -available(group));
  return {};
}

}  // namespace cairn::cache
