#pragma once
// Renders one program once: walks the tree, holds variables and output. Not thread-safe; each
// rendering has its own.

#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/dict.h"
#include "text/jinja/limits.h"
#include "text/jinja/objects.h"

namespace cairn::text::jinja {

/// The variables of one running function.
struct Frame {
  Frame(std::size_t slot_count, Frame* enclosing_frame)
      : slots(slot_count), enclosing(enclosing_frame) {}
  std::vector<Value> slots;
  Frame* enclosing;  // of the function that this one was defined in
};

class Evaluator {
 public:
  Evaluator(const ast::Program& program, const Dict& context, const std::optional<std::tm>& now,
            const Limits& limits);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Throws Failure; position() then says where.
  Text run();
  Position position() const { return position_; }

  // ---- for builtins and objects ----
  Budget& budget() { return budget_; }
  /// All items of what can be iterated, charged to the budget.
  std::vector<Value> items(const Value& iterable);
  Value call(const Value& callee, Arguments& arguments);
  Value call_builtin(const Builtin& builtin, const Value& self, Arguments& arguments);
  Value call_macro(const MacroObject& macro, Arguments& arguments);
  Value run_loop(const ast::For& node, Frame& enclosing, const Value& iterable, std::size_t level);
  /// A new namespace, emptied when the rendering ends.
  std::shared_ptr<Namespace> make_namespace();
  /// Remembers `value` for the caller of loop.changed; true where it differs from the last.
  bool changed(const Loop& loop, Value value);
  std::tm now() const;

 private:
  enum class Flow { next, break_loop, continue_loop };

  /// Counts nested evaluations, so that the C++ stack stays bounded.
  class Nesting {
   public:
    explicit Nesting(Evaluator& evaluator);
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    std::size_t& depth_;
  };

  // Statements.
  Flow execute(const ast::Statements& statements);
  Flow execute(const ast::Data& node);
  Flow execute(const ast::Print& node);
  Flow execute(const ast::If& node);
  Flow execute(const ast::For& node);
  Flow execute(const ast::Set& node);
  Flow execute(const ast::SetBlock& node);
  Flow execute(const ast::With& node);
  Flow execute(const ast::Macro& node);
  Flow execute(const ast::CallBlock& node);
  Flow execute(const ast::FilterBlock& node);
  Flow execute(const ast::Scoped& node);
  Flow execute(const ast::Block& node);
  Flow execute(const ast::Break&) { return Flow::break_loop; }
  Flow execute(const ast::Continue&) { return Flow::continue_loop; }
  Flow iterate(const ast::For& node, const Value& iterable, Frame* recursion_frame,
               std::size_t level);
  Loop::Filter make_filter(const ast::For& node);
  /// Runs the statements with the output going to a text of its own.
  Flow capture(const ast::Statements& statements, Text& text);
  void assign(const ast::Target& target, Value value);
  void assign_items(const ast::TupleTarget& target, const Value& value);
  void require_namespaces(const ast::Target& target);
  void export_target(const ast::Target& target);

  // Macros.
  void pass_arguments(const ast::Macro& node, Arguments& arguments);
  void pass_special_arguments(const ast::Macro& node, Arguments& arguments, bool found_caller);

  // Expressions.
  Value evaluate(const ast::Expression& expression);
  Value evaluate(const ast::Literal& node);
  Value evaluate(const ast::Name& node);
  Value evaluate(const ast::TupleLiteral& node);
  Value evaluate(const ast::ListLiteral& node);
  Value evaluate(const ast::DictLiteral& node);
  Value evaluate(const ast::Conditional& node);
  Value evaluate(const ast::Logical& node);
  Value evaluate(const ast::Not& node);
  Value evaluate(const ast::Compare& node);
  Value evaluate(const ast::Binary& node);
  Value evaluate(const ast::Unary& node);
  Value evaluate(const ast::Concat& node);
  Value evaluate(const ast::Attribute& node);
  Value evaluate(const ast::Item& node);
  Value evaluate(const ast::Slice& node);
  Value evaluate(const ast::Call& node);
  Value evaluate(const ast::Filter& node);
  Value evaluate(const ast::Test& node);
  Arguments evaluate(const ast::CallArguments& node);
  std::vector<Value> evaluate(const std::vector<ast::ExpressionPtr>& expressions);
  Value call_method(const ast::Attribute& callee, const ast::CallArguments& arguments,
                    Position position);
  bool compare(ast::Comparison comparison, const Value& left, const Value& right);

  // Variables.
  void enter(const ast::Scope& scope);
  Value& variable(ast::Reference reference);
  Value resolve(const Text& name) const;

  const ast::Program& program_;
  const Dict& context_;
  const std::optional<std::tm>& now_;
  const Limits& limits_;
  Budget budget_;
  Position position_;
  std::size_t depth_ = 0;
  TextBuilder* output_ = nullptr;
  Frame* frame_ = nullptr;
  Value filter_subject_;  // the captured body of the filter block being evaluated
  std::vector<std::unique_ptr<Frame>> kept_frames_;
  std::vector<std::shared_ptr<Namespace>> namespaces_;
  std::map<const Loop*, std::pair<std::shared_ptr<const Object>, Value>> changes_;
  std::map<std::string, Value, std::less<>> exports_;
};

}  // namespace cairn::text::jinja
