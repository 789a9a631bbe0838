// Methods of lists, tuples, dicts and the objects that templates meet.
#include "text/jinja/builtin.h"
#include "text/jinja/compare.h"
#include "text/jinja/conversion.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

Value method_index(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const std::vector<Value> items = evaluator.items(self);
  const auto count = static_cast<std::int64_t>(items.size());
  const auto clamp = [&](std::int64_t at) {
    return at < 0 ? std::max<std::int64_t>(at + count, 0) : std::min(at, count);
  };
  const std::int64_t stop = clamp(integer_or(arguments, 2, count));
  for (std::int64_t i = clamp(integer_or(arguments, 1, 0)); i < stop; ++i) {
    if (equal(items[static_cast<std::size_t>(i)], arguments[0], evaluator.budget())) return i;
  }
  refuse("{} is not in the {}", repr(arguments[0]).bytes(), self.type_name());
}

Value method_count(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  std::size_t count = 0;
  for (const Value& item : evaluator.items(self)) {
    if (equal(item, arguments[0], evaluator.budget())) ++count;
  }
  return Value::size(count);
}

Value method_copy(Evaluator&, const Value& self, Arguments&) {
  return self;
}

constexpr Builtin kSequenceMethods[] = {
    {"index", "_ _ _", 1, method_index},
    {"count", "_", 1, method_count},
    {"copy", "", 0, method_copy},
};

Value method_get(Evaluator&, const Value& self, Arguments& arguments) {
  if (arguments[0].is_list() || arguments[0].dict()) {
    refuse("unhashable type: '{}'", arguments[0].type_name());
  }
  if (const Value* value = self.dict()->find(arguments[0])) return *value;
  return arguments.has(1) ? arguments[1] : Value(None{});
}

Value method_items(Evaluator&, const Value& self, Arguments&) {
  return make_object<View>(View::Kind::items, self);
}
Value method_keys(Evaluator&, const Value& self, Arguments&) {
  return make_object<View>(View::Kind::keys, self);
}
Value method_values(Evaluator&, const Value& self, Arguments&) {
  return make_object<View>(View::Kind::values, self);
}

constexpr Builtin kDictMethods[] = {
    {"get", "_ _", 1, method_get},    {"items", "", 0, method_items}, {"keys", "", 0, method_keys},
    {"values", "", 0, method_values}, {"copy", "", 0, method_copy},
};

Value method_cycle(Evaluator&, const Value& self, Arguments& arguments) {
  const auto& choices = arguments.positional;
  if (choices.empty()) refuse("no items for cycling given");
  const std::int64_t index = self.object_as<Loop>()->index0();
  return choices[static_cast<std::size_t>(std::max<std::int64_t>(index, 0)) % choices.size()];
}

Value method_changed(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  return evaluator.changed(*self.object_as<Loop>(), Value::tuple(std::move(arguments.positional)));
}

constexpr Builtin kLoopMethods[] = {
    {"cycle", "*", 0, method_cycle},
    {"changed", "*", 0, method_changed},
};

Value method_next(Evaluator&, const Value& self, Arguments&) {
  return self.object_as<Cycler>()->next();
}
Value method_reset(Evaluator&, const Value& self, Arguments&) {
  self.object_as<Cycler>()->reset();
  return None{};
}

constexpr Builtin kCyclerMethods[] = {
    {"next", "", 0, method_next},
    {"reset", "", 0, method_reset},
};

}  // namespace

BuiltinTable sequence_methods() {
  return kSequenceMethods;
}
BuiltinTable dict_methods() {
  return kDictMethods;
}

BuiltinTable object_methods(const Value& self) {
  if (self.object_as<Loop>()) return kLoopMethods;
  if (self.object_as<Cycler>()) return kCyclerMethods;
  if (self.object_as<Range>()) return BuiltinTable(kSequenceMethods).first(2);
  return {};
}

}  // namespace cairn::text::jinja
