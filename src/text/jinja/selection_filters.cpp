#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/lazy.h"

namespace cairn::text::jinja {
namespace {

Value filter_default(Evaluator&, const Value& self, Arguments& arguments) {
  const bool is_replaced = self.is_undefined() || (truth_or(arguments, 1, false) && !truth(self));
  if (!is_replaced) return self;
  return arguments.has(0) ? arguments[0] : Value(Text());
}

Value filter_attr(Evaluator&, const Value& self, Arguments& arguments) {
  const Text& name = require_text(arguments[0]);
  // Unlike the dot, it does not look for keys.
  if (self.dict() && !find_method(self, name.bytes()) && self.dict()->find(name.bytes())) {
    return Value::undefined(fmt::format("'dict object' has no attribute '{}'", name.bytes()));
  }
  return attribute_of(self, name);
}

Value map_attribute(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Value path = arguments.take_keyword("attribute");
  const Value otherwise = arguments.take_keyword("default");
  if (!arguments.keywords.empty()) {
    refuse("unexpected keyword argument '{}'", arguments.keywords.front().first.bytes());
  }
  return make_iterator_over(evaluator, self, [&](const Value& item, std::vector<Value>& items) {
    items.push_back(attribute_path(item, path, otherwise));
  });
}

Value filter_map(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  if (!truth(self)) return make_object<Iterator>(std::vector<Value>());
  const bool by_attribute =
      arguments.positional.empty() &&
      std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                  [](const auto& keyword) { return keyword.first.bytes() == "attribute"; });
  if (by_attribute) return map_attribute(evaluator, self, arguments);
  return make_iterator_over(evaluator, self, [&](const Value& item, std::vector<Value>& items) {
    if (arguments.positional.empty()) refuse("map requires a filter argument");
    const Text& name = require_text(arguments[0]);
    const Builtin* filter = find_filter(name.bytes());
    if (!filter) refuse("no filter named '{}'", name.bytes());
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    items.push_back(evaluator.call_builtin(*filter, item, rest));
  });
}

/// select, reject, selectattr, rejectattr: keeps items whose (attribute's) test gives `wanted`.
Value filter_by_test(Evaluator& evaluator, const Value& self, const Arguments& arguments,
                     bool by_attribute, bool wanted) {
  if (!truth(self)) return make_object<Iterator>(std::vector<Value>());
  const std::size_t skipped = by_attribute ? 1 : 0;
  return make_iterator_over(evaluator, self, [&](const Value& item, std::vector<Value>& items) {
    if (arguments.positional.size() < skipped) refuse("missing parameter for attribute name");
    const Value subject = by_attribute ? attribute_path(item, arguments[0]) : item;
    bool result = false;
    if (arguments.positional.size() == skipped) {
      result = truth(subject);
    } else {
      const Text& name = require_text(arguments[skipped]);
      const Builtin* test = find_test(name.bytes());
      if (!test) refuse("no test named '{}'", name.bytes());
      Arguments rest = arguments;
      rest.positional.erase(rest.positional.begin(),
                            rest.positional.begin() + static_cast<std::ptrdiff_t>(skipped + 1));
      result = truth(evaluator.call_builtin(*test, subject, rest));
    }
    if (result == wanted) items.push_back(item);
  });
}

Value filter_select(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return filter_by_test(evaluator, self, arguments, false, true);
}
Value filter_reject(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return filter_by_test(evaluator, self, arguments, false, false);
}
Value filter_selectattr(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return filter_by_test(evaluator, self, arguments, true, true);
}
Value filter_rejectattr(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return filter_by_test(evaluator, self, arguments, true, false);
}

constexpr Builtin kFilters[] = {
    {"default", "default_value boolean", 0, filter_default},
    {"d", "default_value boolean", 0, filter_default},
    {"attr", "name", 1, filter_attr},
    {"map", "* **", 0, filter_map},
    {"select", "* **", 0, filter_select},
    {"reject", "* **", 0, filter_reject},
    {"selectattr", "* **", 0, filter_selectattr},
    {"rejectattr", "* **", 0, filter_rejectattr},
};

}  // namespace

BuiltinTable selection_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
