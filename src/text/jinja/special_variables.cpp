#include "text/jinja/special_variables.h"

#include <set>
#include <string>

#include "text/jinja/ast_walk.h"

namespace cairn::text::jinja {
namespace {

using namespace ast;  // the tree is all this file is about

class Finder {
 public:
  bool uses(std::string_view name) const { return used_.contains(name); }

  void visit(const Statements& statements) {
    for (const Statement& statement : statements) std::visit(*this, statement.node);
  }
  void visit(const ExpressionPtr& expression) {
    if (expression) visit(*expression);
  }
  void visit(const Expression& expression) {
    if (const auto* name = std::get_if<Name>(&expression.node)) {
      if (candidates_.contains(name->name.bytes())) used_.emplace(name->name.bytes());
    }
    for_each_child(expression, [&](const Expression& child) { visit(child); });
  }
  void visit(const Target& target) {
    if (const auto* name = std::get_if<Name>(&target.node)) {
      drop(*name);
    } else if (const auto* tuple = std::get_if<TupleTarget>(&target.node)) {
      for (const Target& item : tuple->items) visit(item);
    }
  }
  void drop(const Name& name) {
    const auto at = candidates_.find(name.name.bytes());
    if (at != candidates_.end()) candidates_.erase(at);
  }

  void operator()(const Data&) {}
  void operator()(const Break&) {}
  void operator()(const Continue&) {}
  void operator()(const Block&) {}
  void operator()(const Print& node) { visit(node.value); }
  void operator()(const If& node) {
    for (const auto& [test, body] : node.branches) visit(test), visit(body);
    visit(node.otherwise);
  }
  void operator()(const For& node) {
    visit(node.target), visit(node.iterable), visit(node.body), visit(node.otherwise);
    visit(node.filter);
  }
  void operator()(const Set& node) { visit(node.target), visit(node.value); }
  void operator()(const SetBlock& node) {
    visit(node.target), visit(node.filter), visit(node.body);
  }
  void operator()(const With& node) {
    for (const Target& target : node.targets) visit(target);
    for (const ExpressionPtr& value : node.values) visit(value);
    visit(node.body);
  }
  void operator()(const Macro& node) {
    for (const Parameter& parameter : node.parameters) drop(parameter.name);
    for (const Parameter& parameter : node.parameters) visit(parameter.default_value);
    visit(node.body);
  }
  void operator()(const CallBlock& node) {
    visit(node.call);
    (*this)(*node.caller);
  }
  void operator()(const FilterBlock& node) { visit(node.body), visit(node.filter); }
  void operator()(const Scoped& node) { visit(node.body); }

 private:
  std::set<std::string, std::less<>> candidates_ = {"caller", "kwargs", "varargs"};
  std::set<std::string, std::less<>> used_;
};

}  // namespace

void find_special_variables(Macro& macro) {
  bool has_keywords = false;
  bool has_varargs = false;
  for (const Parameter& parameter : macro.parameters) {
    const std::string_view name = parameter.name.name.bytes();
    if (name == "caller") macro.has_caller_parameter = true;
    if (name == "kwargs") has_keywords = true;
    if (name == "varargs") has_varargs = true;
  }
  Finder finder;
  finder.visit(macro.body);
  macro.uses_caller = finder.uses("caller");
  macro.uses_keywords = finder.uses("kwargs") && !has_keywords;
  macro.uses_varargs = finder.uses("varargs") && !has_varargs;
  macro.caller.name = Text::own("caller");
  macro.keywords.name = Text::own("kwargs");
  macro.varargs.name = Text::own("varargs");
}

}  // namespace cairn::text::jinja
