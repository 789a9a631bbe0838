#pragma once
// Visits the direct children of an expression, in the order of evaluation.

#include "text/jinja/ast.h"

namespace cairn::text::jinja::ast {

template <class Visit>
class ChildVisitor {
 public:
  explicit ChildVisitor(Visit& visit) : visit_(visit) {}

  void operator()(const Literal&) {}
  void operator()(const Name&) {}
  void operator()(const TupleLiteral& node) { each(node.items); }
  void operator()(const ListLiteral& node) { each(node.items); }
  void operator()(const DictLiteral& node) {
    for (const auto& [key, value] : node.entries) one(key), one(value);
  }
  void operator()(const Conditional& node) { one(node.test), one(node.then), one(node.otherwise); }
  void operator()(const Logical& node) { one(node.left), one(node.right); }
  void operator()(const Not& node) { one(node.operand); }
  void operator()(const Compare& node) {
    one(node.first);
    for (const auto& [comparison, operand] : node.rest) one(operand);
  }
  void operator()(const Binary& node) { one(node.left), one(node.right); }
  void operator()(const Unary& node) { one(node.operand); }
  void operator()(const Concat& node) { each(node.parts); }
  void operator()(const Attribute& node) { one(node.subject); }
  void operator()(const Item& node) { one(node.subject), one(node.index); }
  void operator()(const Slice& node) {
    one(node.subject), one(node.start), one(node.stop), one(node.step);
  }
  void operator()(const Call& node) { one(node.callee), arguments(node.arguments); }
  void operator()(const Filter& node) { one(node.subject), arguments(node.arguments); }
  void operator()(const Test& node) { one(node.subject), arguments(node.arguments); }

 private:
  void one(const ExpressionPtr& child) {
    if (child) visit_(*child);
  }
  void each(const std::vector<ExpressionPtr>& children) {
    for (const ExpressionPtr& child : children) one(child);
  }
  void arguments(const CallArguments& node) {
    each(node.positional);
    for (const auto& [name, value] : node.keywords) one(value);
    one(node.star), one(node.double_star);
  }

  Visit& visit_;
};

template <class Visit>
void for_each_child(const Expression& expression, Visit&& visit) {
  std::visit(ChildVisitor<Visit>(visit), expression.node);
}

}  // namespace cairn::text::jinja::ast
