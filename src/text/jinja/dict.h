#pragma once
// Python's dict: keeps insertion order; keys that compare equal (1, 1.0, True) are one key. Keys
// are None, numbers, strings and undefined values; tuples are refused.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace cairn::text::jinja {

class Dict {
 public:
  struct Entry {
    Value key;
    Value value;
  };

  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t depth() const { return depth_; }
  /// Null where the key is absent or could be no key.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;

 private:
  friend class DictBuilder;
  std::vector<Entry> entries_;
  // Positions in order of keys; only for more than a few entries. A sorted index, unlike a hash
  // table, gives hostile keys no way to make it slow.
  std::vector<std::uint32_t> sorted_;
  std::size_t depth_ = 1;
};

class DictBuilder {
 public:
  DictBuilder() : dict_(std::make_shared<Dict>()) {}
  /// A later value replaces an earlier one and keeps its place. Refuses unhashable keys.
  void set(Value key, Value value);
  void set_own(std::string_view key, Value value) { set(Value::own(key), std::move(value)); }
  std::shared_ptr<const Dict> finish();

 private:
  std::shared_ptr<Dict> dict_;
};

}  // namespace cairn::text::jinja
