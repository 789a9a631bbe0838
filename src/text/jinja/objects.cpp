#include "text/jinja/objects.h"

#include <algorithm>

#include "text/jinja/ast.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {

Iterator::Iterator(std::vector<Value> items, std::optional<Failure> failure,
                   std::string_view type_name)
    : Object(depth_above(items)),
      items_(std::move(items)),
      failure_(std::move(failure)),
      type_name_(type_name) {}

bool Iterator::next(Value& item) {
  if (position_ < items_.size()) {
    item = std::move(items_[position_++]);
    return true;
  }
  if (failure_) throw Failure(*failure_);
  return false;
}

Range::Range(std::int64_t start, std::int64_t stop, std::int64_t step)
    : start_(start), stop_(stop), step_(step), count_(0) {
  if (step == 0) refuse("range() arg 3 must not be zero");
  if (step > 0 ? start >= stop : start <= stop) return;
  const auto distance = static_cast<std::uint64_t>(step > 0 ? stop : start) -
                        static_cast<std::uint64_t>(step > 0 ? start : stop);
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (distance - 1) / stride + 1;
  if (count > static_cast<std::uint64_t>(kMaxRangeLength)) {
    refuse("range too big: the sandbox blocks ranges longer than {}", kMaxRangeLength);
  }
  count_ = static_cast<std::size_t>(count);
}

std::optional<Value> Range::item(std::size_t index) const {
  return start_ + static_cast<std::int64_t>(index) * step_;
}

bool Range::equals(const Range& other) const {
  if (count_ != other.count_) return false;
  return count_ == 0 || (start_ == other.start_ && (count_ == 1 || step_ == other.step_));
}

std::string Range::repr() const {
  if (step_ == 1) return fmt::format("range({}, {})", start_, stop_);
  return fmt::format("range({}, {}, {})", start_, stop_, step_);
}

View::View(Kind kind, Value dict)
    : Object(depth_above(dict.depth())), kind_(kind), dict_(std::move(dict)) {}

std::string_view View::type_name() const {
  constexpr std::string_view names[] = {"dict_keys", "dict_values", "dict_items"};
  return names[static_cast<std::size_t>(kind_)];
}

std::optional<Value> View::item(std::size_t index) const {
  const Dict::Entry& entry = dict_.dict()->entries()[index];
  if (kind_ == Kind::keys) return entry.key;
  if (kind_ == Kind::values) return entry.value;
  return Value::tuple({entry.key, entry.value});
}

BoundMethod::BoundMethod(const Builtin& builtin, Value self)
    : Object(depth_above(self.depth())), builtin_(builtin), self_(std::move(self)) {}

Value BoundMethod::call(Evaluator& evaluator, Arguments& arguments) {
  return evaluator.call_builtin(builtin_, self_, arguments);
}

std::optional<Value> Namespace::attribute(std::string_view name) {
  for (const auto& [known, value] : attributes_) {
    if (known.bytes() == name) return value;
  }
  return std::nullopt;
}

void Namespace::set(const Text& name, Value value) {
  for (auto& [known, old] : attributes_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  attributes_.emplace_back(name, std::move(value));
}

Cycler::Cycler(std::vector<Value> items) : Object(depth_above(items)), items_(std::move(items)) {
  if (items_.empty()) refuse("at least one item has to be provided");
}

std::optional<Value> Cycler::attribute(std::string_view name) {
  if (name == "current") return items_[position_];
  if (name == "pos") return Value::size(position_);
  return std::nullopt;
}

Value Cycler::next() {
  Value item = items_[position_];
  position_ = (position_ + 1) % items_.size();
  return item;
}

Joiner::Joiner(Value separator)
    : Object(depth_above(separator.depth())), separator_(std::move(separator)) {}

Value Joiner::call(Evaluator&, Arguments& arguments) {
  if (!arguments.positional.empty() || !arguments.keywords.empty()) {
    refuse("a joiner takes no arguments");
  }
  return std::exchange(is_used_, true) ? separator_ : Value(Text());
}

Value MacroObject::call(Evaluator& evaluator, Arguments& arguments) {
  return evaluator.call_macro(*this, arguments);
}

std::optional<Value> MacroObject::attribute(std::string_view name) {
  if (name == "name") return node_.name.name;
  if (name == "catch_kwargs") return node_.uses_keywords;
  if (name == "catch_varargs") return node_.uses_varargs;
  if (name == "caller") return node_.uses_caller;
  if (name != "arguments") return std::nullopt;
  std::vector<Value> names;
  for (const ast::Parameter& parameter : node_.parameters) names.push_back(parameter.name.name);
  return Value::tuple(std::move(names));
}

}  // namespace cairn::text::jinja
