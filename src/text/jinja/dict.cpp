#include "text/jinja/dict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "text/jinja/compare.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {
namespace {

constexpr std::size_t kUnindexedEntries = 8;

int rank_of(const Value& key) {
  if (key.is_none()) return 0;
  if (key.is_number()) return 1;
  if (key.text()) return 2;
  return key.is_undefined() ? 3 : 4;
}

/// A total order over keys; 0 where they are the same key.
int compare_keys(const Value& a, const Value& b) {
  const int rank = rank_of(a);
  if (rank != rank_of(b)) return rank < rank_of(b) ? -1 : 1;
  if (rank == 1) return compare_numbers_totally(a, b);
  if (rank == 2) return a.text()->bytes().compare(b.text()->bytes());
  return 0;
}

}  // namespace

const Value* Dict::find(const Value& key) const {
  if (const Text* text = key.text()) return find(text->bytes());
  if (rank_of(key) > 3) return nullptr;
  for (const Entry& entry : entries_) {
    if (compare_keys(entry.key, key) == 0) return &entry.value;
  }
  return nullptr;
}

const Value* Dict::find(std::string_view key) const {
  if (sorted_.empty()) {
    for (const Entry& entry : entries_) {
      if (entry.key.text() && entry.key.text()->bytes() == key) return &entry.value;
    }
    return nullptr;
  }
  const auto at = std::partition_point(sorted_.begin(), sorted_.end(), [&](std::uint32_t i) {
    const Text* text = entries_[i].key.text();
    return !text || text->bytes() < key;
  });
  if (at == sorted_.end()) return nullptr;
  const Entry& entry = entries_[*at];
  return entry.key.text()->bytes() == key ? &entry.value : nullptr;
}

void DictBuilder::set(Value key, Value value) {
  if (rank_of(key) > 3) refuse("'{}' cannot be a key of a dict", key.type_name());
  if (dict_->entries_.size() >= std::numeric_limits<std::uint32_t>::max()) refuse("dict too large");
  dict_->depth_ = std::max(dict_->depth_, depth_above(value.depth()));
  dict_->entries_.push_back({std::move(key), std::move(value)});
}

std::shared_ptr<const Dict> DictBuilder::finish() {
  auto& entries = dict_->entries_;
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return compare_keys(entries[a].key, entries[b].key) < 0;
  });
  std::vector<bool> dropped(entries.size());
  bool any_dropped = false;
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (compare_keys(entries[order[first]].key, entries[order[i]].key) != 0) {
      first = i;
      continue;
    }
    entries[order[first]].value = std::move(entries[order[i]].value);
    dropped[order[i]] = any_dropped = true;
  }
  if (any_dropped) {
    std::vector<Dict::Entry> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!dropped[i]) kept.push_back(std::move(entries[i]));
    }
    entries = std::move(kept);
    return finish();
  }
  if (entries.size() > kUnindexedEntries) dict_->sorted_ = std::move(order);
  return std::move(dict_);
}

}  // namespace cairn::text::jinja
