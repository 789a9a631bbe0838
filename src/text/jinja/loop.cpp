#include "text/jinja/evaluator.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"

namespace cairn::text::jinja {

Loop::Loop(Value iterable, Filter filter, std::size_t level)
    : Object(depth_above(iterable.depth())), filter_(std::move(filter)), level_(level) {
  cursor_.emplace(std::move(iterable));
}

bool Loop::pull(Value& item) {
  while (cursor_ && cursor_->next(item)) {
    if (!filter_ || filter_(item)) return true;
  }
  return false;
}

bool Loop::has_next() {
  if (ahead_.empty()) {
    Value item;
    if (!pull(item)) return false;
    ahead_.push_back(std::move(item));
  }
  return true;
}

bool Loop::advance(Value& item) {
  if (!has_next()) return false;
  item = std::move(ahead_.front());
  ahead_.pop_front();
  ++index0_;
  previous_ = std::move(current_);
  current_ = item;
  return true;
}

void Loop::close() {
  cursor_.reset();
  filter_ = nullptr;
  ahead_.clear();
}

void Loop::make_recursive(const ast::For& node, Frame& frame) {
  node_ = &node;
  frame_ = &frame;
}

std::int64_t Loop::item_count() {
  if (!item_count_ && cursor_ && !filter_) item_count_ = cursor_->length();
  if (!item_count_) {
    for (Value item; pull(item);) ahead_.push_back(std::move(item));
    item_count_ = static_cast<std::size_t>(index0_ + 1) + ahead_.size();
  }
  return static_cast<std::int64_t>(*item_count_);
}

std::optional<Value> Loop::attribute(std::string_view name) {
  if (name == "index") return index0_ + 1;
  if (name == "index0") return index0_;
  if (name == "first") return index0_ == 0;
  if (name == "last") return !has_next();
  if (name == "length") return item_count();
  if (name == "revindex") return item_count() - index0_;
  if (name == "revindex0") return item_count() - index0_ - 1;
  if (name == "depth") return Value::size(level_ + 1);
  if (name == "depth0") return Value::size(level_);
  if (name == "previtem") {
    return index0_ == 0 ? Value::undefined("there is no previous item") : previous_;
  }
  if (name != "nextitem") return std::nullopt;
  return has_next() ? ahead_.front() : Value::undefined("there is no next item");
}

Value Loop::call(Evaluator& evaluator, Arguments& arguments) {
  if (!node_) refuse("the loop must have the 'recursive' marker to be called recursively");
  if (arguments.positional.size() != 1 || !arguments.keywords.empty()) {
    refuse("a recursive loop takes one argument, the items to go on with");
  }
  return evaluator.run_loop(*node_, *frame_, arguments[0], level_ + 1);
}

std::string Loop::repr() {
  return fmt::format("<LoopContext {}/{}>", index0_ + 1, item_count());
}

}  // namespace cairn::text::jinja
