#include <algorithm>
#include <numeric>

#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/compare.h"
#include "text/jinja/conversion.h"
#include "text/jinja/lazy.h"
#include "text/jinja/text_operations.h"

namespace cairn::text::jinja {
namespace {

/// How items are compared: by an attribute or themselves, strings without case unless told so.
class Key {
 public:
  Key(Value path, bool is_case_sensitive)
      : path_(std::move(path)), is_case_sensitive_(is_case_sensitive) {}

  Value of(const Value& item) const { return folded(attribute_path(item, path_)); }

  /// For sort: 'a,b' gives several keys.
  Value list_of(const Value& item) const {
    if (!path_.text()) return Value::list({of(item)});
    std::vector<Value> keys;
    for (const Text& part : split(*path_.text(), Text::own(","))) {
      keys.push_back(folded(attribute_path(item, part)));
    }
    return Value::list(std::move(keys));
  }

  Value folded(Value value) const {
    if (is_case_sensitive_ || !value.text()) return value;
    return to_lower(*value.text());
  }

 private:
  Value path_;
  bool is_case_sensitive_;
};

/// The items in the order of their keys; equal ones keep theirs.
std::vector<Value> sorted(Evaluator& evaluator, const std::vector<Value>& items,
                          const std::vector<Value>& keys, bool is_reversed) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_reversed) std::swap(a, b);
    return less(keys[a], keys[b], evaluator.budget());
  });
  std::vector<Value> result;
  result.reserve(items.size());
  for (const std::size_t i : order) result.push_back(items[i]);
  return result;
}

Value filter_sort(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Key key(value_or_none(arguments, 2), truth_or(arguments, 1, false));
  const std::vector<Value> items = evaluator.items(self);
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(key.list_of(item));
  return Value::list(sorted(evaluator, items, keys, truth_or(arguments, 0, false)));
}

Value filter_dictsort(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  require_defined(self);
  const Key key(None{}, truth_or(arguments, 0, false));
  const Text by = text_or(arguments, 1, "key");
  if (by.bytes() != "key" && by.bytes() != "value") {
    refuse("You can only sort by either \"key\" or \"value\"");
  }
  if (!self.dict()) refuse("'{}' object has no attribute 'items'", self.type_name());
  std::vector<Value> items;
  std::vector<Value> keys;
  for (const auto& [name, value] : self.dict()->entries()) {
    items.push_back(Value::tuple({name, value}));
    keys.push_back(key.of(by.bytes() == "key" ? name : value));
  }
  return Value::list(sorted(evaluator, items, keys, truth_or(arguments, 2, false)));
}

Value filter_unique(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Key key(value_or_none(arguments, 1), truth_or(arguments, 0, false));
  std::vector<Value> seen;
  return make_iterator_over(evaluator, self, [&](const Value& item, std::vector<Value>& items) {
    Value wanted = key.of(item);
    if (wanted.is_list() || wanted.dict()) refuse("unhashable type: '{}'", wanted.type_name());
    const bool is_known = std::any_of(seen.begin(), seen.end(), [&](const Value& known) {
      return equal(known, wanted, evaluator.budget());
    });
    if (is_known) return;
    seen.push_back(std::move(wanted));
    items.push_back(item);
  });
}

Value extreme(Evaluator& evaluator, const Value& self, Arguments& arguments, bool is_maximum) {
  const Key key(value_or_none(arguments, 1), truth_or(arguments, 0, false));
  const std::vector<Value> items = evaluator.items(self);
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const Value* best = &items.front();
  Value best_key = key.of(*best);
  for (std::size_t i = 1; i < items.size(); ++i) {
    Value candidate = key.of(items[i]);
    const bool is_better = is_maximum ? less(best_key, candidate, evaluator.budget(), ">")
                                      : less(candidate, best_key, evaluator.budget());
    if (!is_better) continue;
    best = &items[i];
    best_key = std::move(candidate);
  }
  return *best;
}

Value filter_min(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return extreme(evaluator, self, arguments, false);
}
Value filter_max(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return extreme(evaluator, self, arguments, true);
}

/// (grouper, list), which can be asked for by these names, too.
Value make_group(const Value& grouper, std::vector<Value> members) {
  static constexpr std::pair<std::string_view, std::string_view> names = {"grouper", "list"};
  std::vector<Value> items = {grouper, Value::list(std::move(members))};
  const std::size_t depth = depth_above(items);
  return std::shared_ptr<const Sequence>(
      std::make_shared<Sequence>(Sequence{Sequence::Kind::tuple, std::move(items), depth, &names}));
}

Value filter_groupby(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Value path = arguments[0];
  const Value otherwise = value_or_none(arguments, 1);
  const Key key(None{}, truth_or(arguments, 2, false));
  const auto attribute = [&](const Value& item) { return attribute_path(item, path, otherwise); };
  const std::vector<Value> items = evaluator.items(self);
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(key.folded(attribute(item)));
  std::vector<Value> groups;
  std::vector<Value> members;
  for (const Value& item : sorted(evaluator, items, keys, false)) {
    if (!members.empty() && !equal(key.folded(attribute(members.front())),
                                   key.folded(attribute(item)), evaluator.budget())) {
      const Value grouper = attribute(members.front());
      groups.push_back(make_group(grouper, std::move(members)));
      members.clear();
    }
    members.push_back(item);
  }
  if (!members.empty()) {
    const Value grouper = attribute(members.front());
    groups.push_back(make_group(grouper, std::move(members)));
  }
  return Value::list(std::move(groups));
}

constexpr Builtin kFilters[] = {
    {"sort", "reverse case_sensitive attribute", 0, filter_sort},
    {"dictsort", "case_sensitive by reverse", 0, filter_dictsort},
    {"unique", "case_sensitive attribute", 0, filter_unique},
    {"min", "case_sensitive attribute", 0, filter_min},
    {"max", "case_sensitive attribute", 0, filter_max},
    {"groupby", "attribute default case_sensitive", 1, filter_groupby},
};

}  // namespace

BuiltinTable ordering_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
