#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {

Evaluator::Flow Evaluator::execute(const ast::Statements& statements) {
  const Nesting nesting(*this);
  for (const ast::Statement& statement : statements) {
    budget_.charge(1);
    position_ = statement.position;
    const Flow flow = std::visit([&](const auto& node) { return execute(node); }, statement.node);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::Data& node) {
  output_->append(node.text);
  budget_.charge_bytes(node.text.size());
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::Print& node) {
  const Text text = to_text(evaluate(*node.value));
  position_ = node.value->position;
  output_->append(text);
  budget_.charge_bytes(text.size());
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::If& node) {
  for (const auto& [test, body] : node.branches) {
    if (truth(evaluate(*test))) return execute(body);
  }
  return execute(node.otherwise);
}

Evaluator::Flow Evaluator::execute(const ast::For& node) {
  const Value iterable = evaluate(*node.iterable);
  position_ = node.iterable->position;
  if (!node.is_recursive) return iterate(node, iterable, nullptr, 0);
  output_->append(*run_loop(node, *frame_, iterable, 0).text());
  return Flow::next;
}

Value Evaluator::run_loop(const ast::For& node, Frame& enclosing, const Value& iterable,
                          std::size_t level) {
  auto owned = std::make_unique<Frame>(node.function.slot_count, &enclosing);
  Frame* const caller_frame = std::exchange(frame_, owned.get());
  if (node.function.has_closures) kept_frames_.push_back(std::move(owned));
  TextBuilder output;
  TextBuilder* const outer_output = std::exchange(output_, &output);
  iterate(node, iterable, &enclosing, level);
  output_ = outer_output;
  frame_ = caller_frame;
  return output.finish();
}

Evaluator::Flow Evaluator::iterate(const ast::For& node, const Value& iterable,
                                   Frame* recursion_frame, std::size_t level) {
  const auto loop = std::make_shared<Loop>(iterable, make_filter(node), level);
  if (recursion_frame) loop->make_recursive(node, *recursion_frame);
  // A body that was left by break or continue does not count as done: Jinja2 runs `else` then.
  bool has_finished_body = false;
  for (Value item; loop->advance(item);) {
    budget_.charge(1);
    assign(node.target, std::move(item));
    variable(node.loop.reference) = std::shared_ptr<Object>(loop);
    enter(node.body_scope);
    const Flow flow = execute(node.body);
    if (flow == Flow::break_loop) break;
    if (flow == Flow::next) has_finished_body = true;
  }
  loop->close();
  if (has_finished_body || node.otherwise.empty()) return Flow::next;
  enter(node.otherwise_scope);
  return execute(node.otherwise);
}

Loop::Filter Evaluator::make_filter(const ast::For& node) {
  if (!node.filter) return nullptr;
  enter(node.filter_scope);
  return [this, &node](const Value& item) {
    budget_.charge(1);
    assign(node.filter_target, item);
    return truth(evaluate(*node.filter));
  };
}

Evaluator::Flow Evaluator::capture(const ast::Statements& statements, Text& text) {
  TextBuilder output;
  TextBuilder* const outer_output = std::exchange(output_, &output);
  const Flow flow = execute(statements);
  output_ = outer_output;
  text = output.finish();
  return flow;
}

Evaluator::Flow Evaluator::execute(const ast::Set& node) {
  require_namespaces(node.target);
  assign(node.target, evaluate(*node.value));
  if (node.is_exported && program_.has_blocks) export_target(node.target);
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::SetBlock& node) {
  enter(node.scope);
  Text text;
  const Flow flow = capture(node.body, text);
  if (flow != Flow::next) return flow;
  Value value = std::move(text);
  if (node.filter) {
    filter_subject_ = std::move(value);
    value = evaluate(*node.filter);
  }
  require_namespaces(node.target);
  assign(node.target, std::move(value));
  if (node.is_exported && program_.has_blocks) export_target(node.target);
  return Flow::next;
}

void Evaluator::assign(const ast::Target& target, Value value) {
  if (const auto* name = std::get_if<ast::Name>(&target.node)) {
    variable(name->reference) = std::move(value);
  } else if (const auto* attribute = std::get_if<ast::NamespaceTarget>(&target.node)) {
    auto* space = variable(attribute->name.reference).object_as<Namespace>();
    if (!space) refuse("cannot assign attribute on non-namespace object");
    budget_.charge(space->attributes().size());
    space->set(attribute->attribute, std::move(value));
  } else {
    position_ = target.position;
    assign_items(std::get<ast::TupleTarget>(target.node), value);
  }
}

void Evaluator::assign_items(const ast::TupleTarget& target, const Value& value) {
  if (!Cursor::can_iterate(value)) {
    refuse("cannot unpack non-iterable {} object", value.type_name());
  }
  const std::vector<Value> values = items(value);
  const std::size_t expected = target.items.size();
  if (values.size() > expected) refuse("too many values to unpack (expected {})", expected);
  if (values.size() < expected) {
    refuse("not enough values to unpack (expected {}, got {})", expected, values.size());
  }
  for (std::size_t i = 0; i < expected; ++i) assign(target.items[i], values[i]);
}

void Evaluator::require_namespaces(const ast::Target& target) {
  if (const auto* attribute = std::get_if<ast::NamespaceTarget>(&target.node)) {
    if (!variable(attribute->name.reference).object_as<Namespace>()) {
      position_ = target.position;
      refuse("cannot assign attribute on non-namespace object '{}'", attribute->name.name.bytes());
    }
  } else if (const auto* tuple = std::get_if<ast::TupleTarget>(&target.node)) {
    for (const ast::Target& item : tuple->items) require_namespaces(item);
  }
}

void Evaluator::export_target(const ast::Target& target) {
  if (const auto* name = std::get_if<ast::Name>(&target.node)) {
    exports_.insert_or_assign(std::string(name->name.bytes()), variable(name->reference));
  } else if (const auto* tuple = std::get_if<ast::TupleTarget>(&target.node)) {
    for (const ast::Target& item : tuple->items) export_target(item);
  }
}

Evaluator::Flow Evaluator::execute(const ast::With& node) {
  enter(node.scope);
  for (std::size_t i = 0; i < node.targets.size(); ++i) {
    assign(node.targets[i], evaluate(*node.values[i]));
  }
  return execute(node.body);
}

Evaluator::Flow Evaluator::execute(const ast::Macro& node) {
  Value macro = make_object<MacroObject>(node, *frame_);
  variable(node.name.reference) = macro;
  if (node.is_exported && program_.has_blocks) {
    exports_.insert_or_assign(std::string(node.name.name.bytes()), std::move(macro));
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::CallBlock& node) {
  const auto& call_node = std::get<ast::Call>(node.call->node);
  const Value callee = evaluate(*call_node.callee);
  Arguments arguments = evaluate(call_node.arguments);
  arguments.keywords.emplace_back(Text::own("caller"),
                                  make_object<MacroObject>(*node.caller, *frame_));
  position_ = node.call->position;
  const Text text = to_text(call(callee, arguments));
  output_->append(text);
  budget_.charge_bytes(text.size());
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::FilterBlock& node) {
  enter(node.scope);
  Text text;
  const Flow flow = capture(node.body, text);
  if (flow != Flow::next) return flow;
  filter_subject_ = std::move(text);
  output_->append(to_text(evaluate(*node.filter)));
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const ast::Scoped& node) {
  enter(node.scope);
  return execute(node.body);
}

Evaluator::Flow Evaluator::execute(const ast::Block& node) {
  auto owned = std::make_unique<Frame>(node.function.slot_count, nullptr);
  Frame* const outer_frame = std::exchange(frame_, owned.get());
  if (node.function.has_closures) kept_frames_.push_back(std::move(owned));
  enter(node.scope);
  execute(node.body);
  frame_ = outer_frame;
  return Flow::next;
}

}  // namespace cairn::text::jinja
