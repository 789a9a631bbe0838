#include "text/jinja/evaluator.h"

#include "text/jinja/access.h"
#include "text/jinja/compare.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {

Evaluator::Nesting::Nesting(Evaluator& evaluator) : depth_(evaluator.depth_) {
  evaluator.budget_.charge(1);
  if (depth_ >= evaluator.limits_.max_depth) {
    refuse("calls are nested deeper than {} levels", evaluator.limits_.max_depth);
  }
  ++depth_;
}

Evaluator::Evaluator(const ast::Program& program, const Dict& context,
                     const std::optional<std::tm>& now, const Limits& limits)
    : program_(program), context_(context), now_(now), limits_(limits), budget_(limits.max_steps) {}

Evaluator::~Evaluator() {
  // Breaks cycles, and keeps the values inside from being freed by deep recursion.
  for (const auto& space : namespaces_) space->clear();
  for (const auto& frame : kept_frames_) frame->slots.clear();
}

Text Evaluator::run() {
  TextBuilder output(limits_.max_output_bytes);
  kept_frames_.push_back(std::make_unique<Frame>(program_.function.slot_count, nullptr));
  frame_ = kept_frames_.back().get();
  output_ = &output;
  enter(program_.scope);
  execute(program_.body);
  return output.finish();
}

std::vector<Value> Evaluator::items(const Value& iterable) {
  std::vector<Value> result;
  Cursor cursor(iterable);
  for (Value item; cursor.next(item);) {
    budget_.charge(1);
    result.push_back(std::move(item));
  }
  return result;
}

Value Evaluator::call(const Value& callee, Arguments& arguments) {
  require_defined(callee);
  if (!callee.object()) refuse("'{}' object is not callable", callee.type_name());
  const Nesting nesting(*this);
  return callee.object()->call(*this, arguments);
}

Value Evaluator::call_builtin(const Builtin& builtin, const Value& self, Arguments& arguments) {
  budget_.charge(1);
  if (const Text* text = self.text()) budget_.charge_bytes(text->size());
  bind(builtin, arguments);
  Value result = builtin.function(*this, self, arguments);
  if (const Text* text = result.text()) budget_.charge_bytes(text->size());
  return result;
}

std::shared_ptr<Namespace> Evaluator::make_namespace() {
  namespaces_.push_back(std::make_shared<Namespace>());
  return namespaces_.back();
}

bool Evaluator::changed(const Loop& loop, Value value) {
  auto& [owner, last] = changes_[&loop];
  // Holding the loop keeps its address from being used again.
  if (!owner) owner = loop.shared_from_this();
  if (!last.is_unset() && equal(last, value, budget_)) return false;
  last = std::move(value);
  return true;
}

std::tm Evaluator::now() const {
  if (now_) return *now_;
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&seconds, &local);
  return local;
}

// ---- Variables --------------------------------------------------------------------------------

void Evaluator::enter(const ast::Scope& scope) {
  for (const ast::Load& load : scope.loads) {
    Value& slot = frame_->slots[load.slot];
    switch (load.kind) {
      case ast::Load::Kind::undefined:
        slot = Value();
        break;
      case ast::Load::Kind::alias:
        slot = variable(load.source);
        break;
      case ast::Load::Kind::resolve:
        slot = resolve(load.name);
        break;
    }
  }
}

Value& Evaluator::variable(ast::Reference reference) {
  Frame* frame = frame_;
  for (std::uint32_t i = 0; i < reference.hops; ++i) frame = frame->enclosing;
  return frame->slots[reference.slot];
}

Value Evaluator::resolve(const Text& name) const {
  if (const auto at = exports_.find(name.bytes()); at != exports_.end()) return at->second;
  if (const Value* value = context_.find(name.bytes())) return *value;
  if (const Builtin* global = find_global(name.bytes())) {
    return make_object<BoundMethod>(*global, Value());
  }
  return {};
}

// ---- Macros -----------------------------------------------------------------------------------

void Evaluator::pass_arguments(const ast::Macro& node, Arguments& arguments) {
  auto& positional = arguments.positional;
  const std::size_t count = node.parameters.size();
  const std::size_t given = std::min(positional.size(), count);
  bool found_caller = given == count && node.has_caller_parameter;
  for (std::size_t i = 0; i < count; ++i) {
    const ast::Name& name = node.parameters[i].name;
    Value& slot = frame_->slots[name.reference.slot];
    if (i < given) {
      slot = positional[i];
    } else {
      slot = arguments.take_keyword(name.name.bytes());
      if (name.name.bytes() == "caller") found_caller = true;
    }
  }
  pass_special_arguments(node, arguments, found_caller);
  for (const ast::Parameter& parameter : node.parameters) {
    Value& slot = frame_->slots[parameter.name.reference.slot];
    if (!slot.is_unset()) continue;
    slot = parameter.default_value ? evaluate(*parameter.default_value) : parameter.not_provided;
  }
}

void Evaluator::pass_special_arguments(const ast::Macro& node, Arguments& arguments,
                                       bool found_caller) {
  const std::string_view macro = node.name.name.bytes();
  auto& positional = arguments.positional;
  const std::size_t count = node.parameters.size();
  if (node.uses_caller && !found_caller) {
    Value caller = arguments.take_keyword("caller");
    if (caller.is_unset() || caller.is_none()) caller = Value::undefined("No caller defined");
    frame_->slots[node.caller.reference.slot] = std::move(caller);
  }
  if (node.uses_keywords) {
    DictBuilder keywords;
    for (auto& [name, value] : arguments.keywords) keywords.set(name, std::move(value));
    frame_->slots[node.keywords.reference.slot] = keywords.finish();
  } else if (!arguments.keywords.empty()) {
    refuse("macro '{}' takes no keyword argument '{}'", macro,
           arguments.keywords.front().first.bytes());
  }
  if (node.uses_varargs) {
    const std::size_t given = std::min(positional.size(), count);
    std::vector<Value> rest(positional.begin() + static_cast<std::ptrdiff_t>(given),
                            positional.end());
    frame_->slots[node.varargs.reference.slot] = Value::tuple(std::move(rest));
  } else if (positional.size() > count) {
    refuse("macro '{}' takes not more than {} argument(s)", macro, count);
  }
}

Value Evaluator::call_macro(const MacroObject& macro, Arguments& arguments) {
  const ast::Macro& node = macro.node();
  auto owned = std::make_unique<Frame>(node.function.slot_count, &macro.frame());
  Frame* const caller_frame = std::exchange(frame_, owned.get());
  if (node.function.has_closures) kept_frames_.push_back(std::move(owned));
  enter(node.scope);
  pass_arguments(node, arguments);
  Text text;
  capture(node.body, text);
  frame_ = caller_frame;
  return text;
}

}  // namespace cairn::text::jinja
