#pragma once
// The parsed template. Every name already knows its slot: scopes.cpp resolves them once, after the
// parser, by Jinja2's rules. Immutable after that, so one Program serves many threads.

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "text/jinja/builtin.h"
#include "text/jinja/failure.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja::ast {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using Statements = std::vector<Statement>;

/// A variable's place: `hops` functions out, then the slot in that function's frame.
struct Reference {
  std::uint32_t hops = 0;
  std::uint32_t slot = 0;
};

struct Name {
  Text name;
  Reference reference;
  Value undefined;  // what it is while it is not set
};

// ---- Expressions ------------------------------------------------------------------------------

struct Literal {
  Value value;
};
struct TupleLiteral {
  std::vector<ExpressionPtr> items;
};
struct ListLiteral {
  std::vector<ExpressionPtr> items;
};
struct DictLiteral {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};
struct Conditional {                    // then if test else otherwise
  ExpressionPtr test, then, otherwise;  // otherwise: may be null
};
struct Logical {
  bool is_and;
  ExpressionPtr left, right;
};
struct Not {
  ExpressionPtr operand;
};
enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
struct Compare {  // a < b < c
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};
enum class Operator { add, subtract, multiply, divide, floor_divide, modulo, power };
struct Binary {
  Operator op;
  ExpressionPtr left, right;
};
struct Unary {
  bool is_minus;
  ExpressionPtr operand;
};
struct Concat {  // a ~ b ~ c
  std::vector<ExpressionPtr> parts;
};
struct Attribute {  // subject.name
  ExpressionPtr subject;
  Text name;
};
struct Item {  // subject[index]
  ExpressionPtr subject, index;
};
struct Slice {  // subject[start:stop:step], each may be null
  ExpressionPtr subject, start, stop, step;
};
struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<Text, ExpressionPtr>> keywords;
  ExpressionPtr star, double_star;  // may be null
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct Filter {
  ExpressionPtr subject;  // null: the body of the block that the filter belongs to
  std::string name;
  const Builtin* builtin;  // null: unknown, which is an error only when it is reached
  CallArguments arguments;
};
struct Test {
  ExpressionPtr subject;
  std::string name;
  const Builtin* builtin;
  CallArguments arguments;
};

struct Expression {
  Position position;
  std::uint32_t height = 1;  // of the tree below, bounded by kMaxTreeHeight
  std::variant<Literal, Name, TupleLiteral, ListLiteral, DictLiteral, Conditional, Logical, Not,
               Compare, Binary, Unary, Concat, Attribute, Item, Slice, Call, Filter, Test>
      node;
};

// ---- Scopes -----------------------------------------------------------------------------------

/// How a variable gets its value when its scope is entered.
struct Load {
  enum class Kind { undefined, alias, resolve };

  Kind kind;
  std::uint32_t slot;
  Reference source;  // alias: the variable of an outer scope
  Text name;         // resolve: the name in the context
};

struct Scope {
  std::vector<Load> loads;
};

/// What has a frame of its own: the template, a macro, a block, a recursive loop.
struct Function {
  std::uint32_t slot_count = 0;
  bool has_closures = false;  // its frame may be needed after it returned
};

// ---- Statements -------------------------------------------------------------------------------

struct Target;
struct NamespaceTarget {  // set ns.attribute = ...
  Name name;
  Text attribute;
};
struct TupleTarget {
  std::vector<Target> items;
};
struct Target {
  Position position;
  std::variant<Name, NamespaceTarget, TupleTarget> node;
};

struct Data {
  Text text;
};
struct Print {
  ExpressionPtr value;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Statements>> branches;
  Statements otherwise;
};
struct For {
  Target target;
  ExpressionPtr iterable;
  ExpressionPtr filter;  // may be null
  Target filter_target;  // the same target in the filter's own scope
  bool is_recursive = false;
  Statements body, otherwise;
  Scope body_scope, filter_scope, otherwise_scope;
  Name loop;          // the special variable
  Function function;  // of a recursive loop
};
struct Set {
  Target target;
  ExpressionPtr value;
  bool is_exported = false;  // at top level: blocks see it
};
struct SetBlock {
  Target target;
  ExpressionPtr filter;  // may be null
  Statements body;
  Scope scope;
  bool is_exported = false;
};
struct With {
  std::vector<Target> targets;
  std::vector<ExpressionPtr> values;
  Statements body;
  Scope scope;
};
struct Parameter {
  Name name;
  ExpressionPtr default_value;  // may be null
  Value not_provided;           // what it is without either
};
struct Macro {
  Name name;
  std::vector<Parameter> parameters;
  Statements body;
  Scope scope;
  Function function;
  bool is_exported = false;
  // The special variables, where the body uses them.
  bool uses_caller = false, uses_keywords = false, uses_varargs = false;
  bool has_caller_parameter = false;
  Name caller, keywords, varargs;
};
struct CallBlock {
  ExpressionPtr call;
  std::unique_ptr<Macro> caller;
};
struct FilterBlock {
  ExpressionPtr filter;
  Statements body;
  Scope scope;
};
/// A part that scopes its variables and nothing else: generation, autoescape false.
struct Scoped {
  Statements body;
  Scope scope;
};
struct Block {
  Statements body;
  Scope scope;
  Function function;
};
struct Break {};
struct Continue {};

struct Statement {
  Position position;
  std::variant<Data, Print, If, For, Set, SetBlock, With, Macro, CallBlock, FilterBlock, Scoped,
               Block, Break, Continue>
      node;
};

struct Program {
  Statements body;
  Scope scope;
  Function function;
  bool has_blocks = false;
};

}  // namespace cairn::text::jinja::ast
