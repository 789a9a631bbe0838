#include "text/jinja/access.h"
#include "text/jinja/compare.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/operators.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {

Value Evaluator::evaluate(const ast::Expression& expression) {
  if (const auto* literal = std::get_if<ast::Literal>(&expression.node)) return literal->value;
  const Nesting nesting(*this);
  position_ = expression.position;
  return std::visit([&](const auto& node) { return evaluate(node); }, expression.node);
}

Value Evaluator::evaluate(const ast::Literal& node) {
  return node.value;
}

Value Evaluator::evaluate(const ast::Name& node) {
  const Value& value = variable(node.reference);
  return value.is_unset() ? node.undefined : value;
}

std::vector<Value> Evaluator::evaluate(const std::vector<ast::ExpressionPtr>& expressions) {
  std::vector<Value> values;
  values.reserve(expressions.size());
  for (const ast::ExpressionPtr& expression : expressions) values.push_back(evaluate(*expression));
  return values;
}

Value Evaluator::evaluate(const ast::TupleLiteral& node) {
  return Value::tuple(evaluate(node.items));
}

Value Evaluator::evaluate(const ast::ListLiteral& node) {
  return Value::list(evaluate(node.items));
}

Value Evaluator::evaluate(const ast::DictLiteral& node) {
  DictBuilder dict;
  for (const auto& [key, value] : node.entries) {
    Value evaluated_key = evaluate(*key);
    dict.set(std::move(evaluated_key), evaluate(*value));
  }
  return dict.finish();
}

Value Evaluator::evaluate(const ast::Conditional& node) {
  const Position position = position_;
  if (truth(evaluate(*node.test))) return evaluate(*node.then);
  if (node.otherwise) return evaluate(*node.otherwise);
  return Value::undefined(fmt::format(
      "the inline if-expression on line {} evaluated to false and has no else", position.line));
}

Value Evaluator::evaluate(const ast::Logical& node) {
  Value left = evaluate(*node.left);
  return truth(left) == node.is_and ? evaluate(*node.right) : left;
}

Value Evaluator::evaluate(const ast::Not& node) {
  return !truth(evaluate(*node.operand));
}

Value Evaluator::evaluate(const ast::Compare& node) {
  const Position position = position_;
  Value left = evaluate(*node.first);
  for (const auto& [comparison, operand] : node.rest) {
    Value right = evaluate(*operand);
    position_ = position;
    if (!compare(comparison, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

bool Evaluator::compare(ast::Comparison comparison, const Value& left, const Value& right) {
  using ast::Comparison;
  switch (comparison) {
    case Comparison::equal:
      return equal(left, right, budget_);
    case Comparison::not_equal:
      return !equal(left, right, budget_);
    case Comparison::less:
      return less(left, right, budget_, "<");
    case Comparison::less_equal:
      return less(left, right, budget_, "<=") || equal(left, right, budget_);
    case Comparison::greater:
      return less(right, left, budget_, ">");
    case Comparison::greater_equal:
      return less(right, left, budget_, ">=") || equal(left, right, budget_);
    case Comparison::in:
      return contains(right, left, budget_);
    case Comparison::not_in:
      break;
  }
  return !contains(right, left, budget_);
}

Value Evaluator::evaluate(const ast::Binary& node) {
  const Position position = position_;
  const Value left = evaluate(*node.left);
  const Value right = evaluate(*node.right);
  position_ = position;
  Value result = apply(node.op, left, right);
  if (const Text* text = result.text()) budget_.charge_bytes(text->size());
  if (const Sequence* sequence = result.sequence()) budget_.charge(sequence->items.size());
  return result;
}

Value Evaluator::evaluate(const ast::Unary& node) {
  const Position position = position_;
  const Value operand = evaluate(*node.operand);
  position_ = position;
  return node.is_minus ? negate(operand) : plus(operand);
}

Value Evaluator::evaluate(const ast::Concat& node) {
  TextBuilder builder;
  for (const ast::ExpressionPtr& part : node.parts) builder.append(to_text(evaluate(*part)));
  budget_.charge_bytes(builder.size());
  return builder.finish();
}

Value Evaluator::evaluate(const ast::Attribute& node) {
  const Position position = position_;
  const Value subject = evaluate(*node.subject);
  position_ = position;
  return attribute_of(subject, node.name);
}

Value Evaluator::evaluate(const ast::Item& node) {
  const Position position = position_;
  const Value subject = evaluate(*node.subject);
  const Value index = evaluate(*node.index);
  position_ = position;
  if (const Text* text = subject.text()) budget_.charge_bytes(text->is_ascii() ? 0 : text->size());
  return item_of(subject, index);
}

Value Evaluator::evaluate(const ast::Slice& node) {
  const Position position = position_;
  const auto bound = [&](const ast::ExpressionPtr& expression) {
    if (!expression) return Value();
    Value value = evaluate(*expression);
    // Unset means absent here, so an undefined bound must not pass for one.
    return value.is_undefined() ? Value(Text()) : value;
  };
  const Value subject = evaluate(*node.subject);
  const Value start = bound(node.start);
  const Value stop = bound(node.stop);
  const Value step = bound(node.step);
  position_ = position;
  Value result = slice_of(subject, start, stop, step);
  if (const Text* text = subject.text()) budget_.charge_bytes(text->size());
  if (const Sequence* sequence = result.sequence()) budget_.charge(sequence->items.size());
  return result;
}

Arguments Evaluator::evaluate(const ast::CallArguments& node) {
  Arguments arguments;
  arguments.positional = evaluate(node.positional);
  for (const auto& [name, value] : node.keywords) {
    for (const auto& [known, given] : arguments.keywords) {
      if (known == name) refuse("the keyword argument '{}' is given twice", name.bytes());
    }
    arguments.keywords.emplace_back(name, evaluate(*value));
  }
  if (node.star) {
    for (Value& item : items(evaluate(*node.star))) {
      arguments.positional.push_back(std::move(item));
    }
  }
  if (node.double_star) {
    const Value value = evaluate(*node.double_star);
    if (!value.dict()) refuse("the argument after ** must be a mapping, not {}", value.type_name());
    for (const Dict::Entry& entry : value.dict()->entries()) {
      if (!entry.key.text()) refuse("keywords must be strings");
      if (!arguments.take_keyword(entry.key.text()->bytes()).is_unset()) {
        refuse("the keyword argument '{}' is given twice", entry.key.text()->bytes());
      }
      budget_.charge(1 + arguments.keywords.size());
      arguments.keywords.emplace_back(*entry.key.text(), entry.value);
    }
  }
  return arguments;
}

Value Evaluator::evaluate(const ast::Call& node) {
  const Position position = position_;
  if (const auto* attribute = std::get_if<ast::Attribute>(&node.callee->node)) {
    return call_method(*attribute, node.arguments, position);
  }
  const Value callee = evaluate(*node.callee);
  Arguments arguments = evaluate(node.arguments);
  position_ = position;
  return call(callee, arguments);
}

Value Evaluator::call_method(const ast::Attribute& callee, const ast::CallArguments& node,
                             Position position) {
  const Value subject = evaluate(*callee.subject);
  position_ = position;
  // The common case makes no object for the bound method.
  const Builtin* method = subject.object() ? nullptr : find_method(subject, callee.name.bytes());
  const Value function = method ? Value() : attribute_of(subject, callee.name);
  Arguments arguments = evaluate(node);
  position_ = position;
  return method ? call_builtin(*method, subject, arguments) : call(function, arguments);
}

Value Evaluator::evaluate(const ast::Filter& node) {
  const Position position = position_;
  const Value subject = node.subject ? evaluate(*node.subject) : std::move(filter_subject_);
  Arguments arguments = evaluate(node.arguments);
  position_ = position;
  if (!node.builtin) refuse("no filter named '{}'", node.name);
  return call_builtin(*node.builtin, subject, arguments);
}

Value Evaluator::evaluate(const ast::Test& node) {
  const Position position = position_;
  const Value subject = evaluate(*node.subject);
  Arguments arguments = evaluate(node.arguments);
  position_ = position;
  if (!node.builtin) refuse("no test named '{}'", node.name);
  return call_builtin(*node.builtin, subject, arguments);
}

}  // namespace cairn::text::jinja
