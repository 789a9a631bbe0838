#pragma once
// The objects a template can meet. All live within one rendering and are not thread-safe.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "text/jinja/builtin.h"
#include "text/jinja/cursor.h"
#include "text/jinja/dict.h"
#include "text/jinja/failure.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

namespace ast {
struct For;
struct Macro;
}  // namespace ast

struct Frame;

/// Python's generator: gives its items once. They are computed ahead; an error on the way is kept
/// until the reader gets there, as if each item were computed on demand.
class Iterator final : public Object {
 public:
  explicit Iterator(std::vector<Value> items, std::optional<Failure> failure = {},
                    std::string_view type_name = "generator");
  std::string_view type_name() const override { return type_name_; }
  bool next(Value& item);

 private:
  std::vector<Value> items_;
  std::optional<Failure> failure_;
  std::string_view type_name_;
  std::size_t position_ = 0;
};

/// An integer of a context that does not fit into 64 bits: it can be printed and compared for
/// equality, but not calculated with.
class BigInteger final : public Object {
 public:
  explicit BigInteger(std::string digits) : digits_(std::move(digits)) {}
  std::string_view type_name() const override { return "int"; }
  const std::string& digits() const { return digits_; }

 private:
  std::string digits_;
};

class Range final : public Object {
 public:
  Range(std::int64_t start, std::int64_t stop, std::int64_t step);
  std::string_view type_name() const override { return "range"; }
  std::optional<std::size_t> length() const override { return count_; }
  std::optional<Value> item(std::size_t index) const override;
  std::string repr() const;
  /// Gives the same numbers.
  bool equals(const Range& other) const;

 private:
  std::int64_t start_, stop_, step_;
  std::size_t count_;
};

/// dict.keys(), dict.values(), dict.items().
class View final : public Object {
 public:
  enum class Kind { keys, values, items };

  View(Kind kind, Value dict);
  std::string_view type_name() const override;
  std::optional<std::size_t> length() const override { return dict_.dict()->entries().size(); }
  std::optional<Value> item(std::size_t index) const override;
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
  Value dict_;
};

/// A filter-like function bound to what it works on, or a global function.
class BoundMethod final : public Object {
 public:
  BoundMethod(const Builtin& builtin, Value self);
  std::string_view type_name() const override { return "builtin_function_or_method"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, Arguments& arguments) override;
  const Builtin& builtin() const { return builtin_; }

 private:
  const Builtin& builtin_;
  Value self_;
};

/// namespace(): the one kind of object whose attributes can be set. Its values do not count for
/// depth: the evaluator empties all namespaces at the end, which also breaks cycles.
class Namespace final : public Object {
 public:
  std::string_view type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(std::string_view name) override;
  void set(const Text& name, Value value);
  void clear() { attributes_.clear(); }
  const std::vector<std::pair<Text, Value>>& attributes() const { return attributes_; }

 private:
  std::vector<std::pair<Text, Value>> attributes_;
};

class Cycler final : public Object {
 public:
  explicit Cycler(std::vector<Value> items);
  std::string_view type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(std::string_view name) override;
  Value next();
  void reset() { position_ = 0; }

 private:
  std::vector<Value> items_;
  std::size_t position_ = 0;
};

class Joiner final : public Object {
 public:
  explicit Joiner(Value separator);
  std::string_view type_name() const override { return "Joiner"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, Arguments& arguments) override;

 private:
  Value separator_;
  bool is_used_ = false;
};

/// The special variable `loop`. Takes items one by one, at most one ahead of the body.
class Loop final : public Object {
 public:
  using Filter = std::function<bool(const Value&)>;

  Loop(Value iterable, Filter filter, std::size_t level);
  std::string_view type_name() const override { return "LoopContext"; }
  std::optional<Value> attribute(std::string_view name) override;
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, Arguments& arguments) override;

  bool advance(Value& item);
  /// Ends it: what may be left is dropped.
  void close();
  void make_recursive(const ast::For& node, Frame& frame);
  std::int64_t index0() const { return index0_; }
  std::string repr();

 private:
  bool pull(Value& item);
  bool has_next();
  std::int64_t item_count();

  std::optional<Cursor> cursor_;
  Filter filter_;
  std::deque<Value> ahead_;
  std::optional<std::size_t> item_count_;
  std::int64_t index0_ = -1;
  std::size_t level_;
  Value previous_, current_;
  const ast::For* node_ = nullptr;
  Frame* frame_ = nullptr;
};

class MacroObject final : public Object {
 public:
  MacroObject(const ast::Macro& node, Frame& frame) : node_(node), frame_(frame) {}
  std::string_view type_name() const override { return "Macro"; }
  bool is_callable() const override { return true; }
  Value call(Evaluator& evaluator, Arguments& arguments) override;
  std::optional<Value> attribute(std::string_view name) override;
  const ast::Macro& node() const { return node_; }
  Frame& frame() const { return frame_; }

 private:
  const ast::Macro& node_;
  Frame& frame_;  // where it was defined
};

template <class T, class... Args>
Value make_object(Args&&... args) {
  return std::shared_ptr<Object>(std::make_shared<T>(std::forward<Args>(args)...));
}

}  // namespace cairn::text::jinja
