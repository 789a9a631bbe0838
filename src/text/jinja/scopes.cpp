#include "text/jinja/scopes.h"

#include "text/jinja/ast_walk.h"
#include "text/jinja/special_variables.h"
#include "text/jinja/symbols.h"

namespace cairn::text::jinja {
namespace {

using namespace ast;  // the tree is all this file is about

/// First pass over a scope: which names it loads and stores. Stops at inner scopes.
class Collector {
 public:
  explicit Collector(Symbols& symbols) : symbols_(symbols) {}

  void collect(const Statements& statements) {
    for (const Statement& statement : statements) std::visit(*this, statement.node);
  }
  void collect(const ExpressionPtr& expression) {
    if (expression) collect(*expression);
  }
  void collect(const Expression& expression) {
    if (const auto* name = std::get_if<Name>(&expression.node)) symbols_.load(name->name);
    for_each_child(expression, [&](const Expression& child) { collect(child); });
  }
  void collect(const Target& target) {
    if (const auto* name = std::get_if<Name>(&target.node)) {
      symbols_.store(name->name, conditions_ > 0);
    } else if (const auto* attribute = std::get_if<NamespaceTarget>(&target.node)) {
      symbols_.load(attribute->name.name);
    } else {
      for (const Target& item : std::get<TupleTarget>(target.node).items) collect(item);
    }
  }

  void operator()(const Data&) {}
  void operator()(const Break&) {}
  void operator()(const Continue&) {}
  void operator()(const Scoped&) {}
  void operator()(const Block&) {}
  void operator()(const Print& node) { collect(node.value); }
  void operator()(const For& node) { collect(node.iterable); }
  void operator()(const CallBlock& node) { collect(node.call); }
  void operator()(const FilterBlock& node) { collect(node.filter); }
  void operator()(const Macro& node) { symbols_.store(node.name.name, conditions_ > 0); }
  void operator()(const Set& node) {
    collect(node.value);
    collect(node.target);
  }
  void operator()(const SetBlock& node) {
    collect(node.filter);
    collect(node.target);
  }
  void operator()(const With& node) {
    for (const ExpressionPtr& value : node.values) collect(value);
  }
  void operator()(const If& node) {
    collect(node.branches.front().first);
    ++conditions_;
    for (const auto& [test, body] : node.branches) {
      if (&test != &node.branches.front().first) collect(test);
      collect(body);
    }
    collect(node.otherwise);
    --conditions_;
  }

 private:
  Symbols& symbols_;
  std::size_t conditions_ = 0;
};

/// Second pass: writes slots into the tree and goes on into inner scopes.
class Resolver {
 public:
  Resolver(Symbols& symbols, bool is_conditional)
      : symbols_(symbols), is_conditional_(is_conditional) {}

  void resolve(Statements& statements) {
    for (Statement& statement : statements) {
      position_ = statement.position;
      std::visit(*this, statement.node);
    }
  }
  void resolve(const ExpressionPtr& expression) {
    if (expression) resolve(*expression, is_conditional_);
  }
  void resolve(Expression& expression, bool is_conditional) {
    if (auto* name = std::get_if<Name>(&expression.node)) resolve(*name);
    if (const auto* filter = std::get_if<Filter>(&expression.node)) {
      require(filter->builtin, "filter", filter->name, expression.position, is_conditional);
    }
    if (const auto* test = std::get_if<Test>(&expression.node)) {
      require(test->builtin, "test", test->name, expression.position, is_conditional);
    }
    const bool below = is_conditional || std::holds_alternative<Conditional>(expression.node);
    // The walk is shared with readers, who see the tree as constant; here it is still ours.
    for_each_child(expression, [&](const Expression& child) {
      resolve(const_cast<Expression&>(child), below);
    });
  }
  void resolve(Name& name) {
    name.reference = symbols_.find(name.name.bytes()).value_or(Reference{});
    name.undefined = Value::undefined(fmt::format("'{}' is undefined", name.name.bytes()));
  }
  void resolve(Target& target) {
    if (auto* name = std::get_if<Name>(&target.node)) {
      resolve(*name);
    } else if (auto* attribute = std::get_if<NamespaceTarget>(&target.node)) {
      resolve(attribute->name);
    } else {
      for (Target& item : std::get<TupleTarget>(target.node).items) resolve(item);
    }
  }

  void operator()(Data&) {}
  void operator()(Break&) {}
  void operator()(Continue&) {}
  void operator()(Print& node) { resolve(node.value); }
  void operator()(Set& node) {
    resolve(node.value);
    resolve(node.target);
  }
  void operator()(If& node) {
    const bool outside = std::exchange(is_conditional_, true);
    for (auto& [test, body] : node.branches) {
      resolve(test);
      resolve(body);
    }
    resolve(node.otherwise);
    is_conditional_ = outside;
  }
  void operator()(SetBlock& node) {
    Symbols inner = open(node.body, node.scope);
    Resolver(inner, false).resolve(node.filter);
    resolve(node.target);
  }
  void operator()(FilterBlock& node) {
    Symbols inner = open(node.body, node.scope, &node.filter);
    Resolver(inner, false).resolve(node.filter);
  }
  void operator()(Scoped& node) { open(node.body, node.scope); }
  void operator()(Block& node) {
    Symbols inner(nullptr, node.function, node.scope);
    Collector(inner).collect(node.body);
    Resolver(inner, false).resolve(node.body);
  }
  void operator()(With& node) {
    for (const ExpressionPtr& value : node.values) resolve(value);
    Symbols inner(&symbols_, symbols_.function(), node.scope);
    for (Target& target : node.targets) declare(target, inner);
    Collector(inner).collect(node.body);
    Resolver resolver(inner, false);
    for (Target& target : node.targets) resolver.resolve(target);
    resolver.resolve(node.body);
  }
  void operator()(For& node);
  void operator()(Macro& node) {
    resolve(node.name);
    resolve_function(node);
  }
  void operator()(CallBlock& node) {
    resolve(node.call);
    resolve_function(*node.caller);
  }

 private:
  void require(const Builtin* builtin, std::string_view what, const std::string& name,
               Position position, bool is_conditional) const {
    if (!builtin && !is_conditional) refuse_at(position, "no {} named '{}'", what, name);
  }

  /// An inner scope of the same function.
  Symbols open(Statements& body, Scope& scope, const ExpressionPtr* expression = nullptr) {
    Symbols inner(&symbols_, symbols_.function(), scope);
    Collector collector(inner);
    collector.collect(body);
    if (expression) collector.collect(*expression);
    Resolver(inner, false).resolve(body);
    return inner;
  }

  static void declare(const Target& target, Symbols& symbols) {
    if (const auto* name = std::get_if<Name>(&target.node)) {
      symbols.declare(name->name);
    } else if (const auto* tuple = std::get_if<TupleTarget>(&target.node)) {
      for (const Target& item : tuple->items) declare(item, symbols);
    }
  }

  void resolve_function(Macro& node);

  Symbols& symbols_;
  bool is_conditional_;
  Position position_;
};

void Resolver::operator()(For& node) {
  resolve(node.iterable);
  Function& function = node.is_recursive ? node.function : symbols_.function();
  if (node.is_recursive) symbols_.function().has_closures = true;

  Symbols body(&symbols_, function, node.body_scope);
  body.declare(node.loop.name);
  declare(node.target, body);
  Collector(body).collect(node.body);
  Resolver inside(body, false);
  inside.resolve(node.loop);
  inside.resolve(node.target);
  inside.resolve(node.body);

  if (node.filter) {
    Symbols filter(&symbols_, function, node.filter_scope);
    declare(node.filter_target, filter);
    Collector(filter).collect(node.filter);
    Resolver(filter, false).resolve(node.filter_target);
    Resolver(filter, false).resolve(node.filter);
  }
  Symbols otherwise(&symbols_, function, node.otherwise_scope);
  Collector(otherwise).collect(node.otherwise);
  Resolver(otherwise, false).resolve(node.otherwise);
}

void Resolver::resolve_function(Macro& node) {
  symbols_.function().has_closures = true;
  Symbols inner(&symbols_, node.function, node.scope);
  for (const Parameter& parameter : node.parameters) inner.declare(parameter.name.name);
  find_special_variables(node);
  if (node.uses_caller && node.has_caller_parameter) {
    for (const Parameter& parameter : node.parameters) {
      if (parameter.name.name.bytes() == "caller" && !parameter.default_value) {
        refuse_at(position_, "the parameter 'caller' of a macro needs a default");
      }
    }
  }
  const std::pair<Name*, bool> specials[] = {{&node.caller, node.uses_caller},
                                             {&node.keywords, node.uses_keywords},
                                             {&node.varargs, node.uses_varargs}};
  for (const auto& [name, is_used] : specials) {
    if (is_used) inner.declare(name->name);
  }
  Collector collector(inner);
  for (const Parameter& parameter : node.parameters) collector.collect(parameter.default_value);
  collector.collect(node.body);
  Resolver inside(inner, false);
  for (const auto& [name, is_used] : specials) {
    if (is_used) inside.resolve(*name);
  }
  for (Parameter& parameter : node.parameters) {
    inside.resolve(parameter.name);
    inside.resolve(parameter.default_value);
  }
  inside.resolve(node.body);
}

}  // namespace

void resolve_names(Program& program) {
  Symbols symbols(nullptr, program.function, program.scope);
  Collector(symbols).collect(program.body);
  Resolver(symbols, false).resolve(program.body);
}

}  // namespace cairn::text::jinja
