#pragma once
// A value of the template language, with Python's kinds and semantics. Lists, tuples and dicts are
// immutable once built, as Jinja2's immutable sandbox demands, so values are cheap to copy and a
// value's nesting depth is known and bounded (kMaxValueDepth) when it is made. What can change or
// be called is an Object and lives within one rendering.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja/text.h"

namespace cairn::text::jinja {

class Dict;
class Evaluator;
class Object;
struct Arguments;
struct Sequence;

struct None {};

/// What a missing name or attribute gives: prints as nothing, fails when used further.
struct Undefined {
  std::shared_ptr<const std::string> message;  // null: a variable that was never set
};

class Value {
 public:
  Value() = default;  // unset
  // Implicit: whatever a template can hold is a value.
  // NOLINTBEGIN(google-explicit-constructor)
  Value(None none) : variant_(none) {}
  Value(bool value) : variant_(value) {}
  Value(std::int64_t value) : variant_(value) {}
  Value(double value) : variant_(value) {}
  Value(Text value) : variant_(std::move(value)) {}
  Value(std::shared_ptr<const Sequence> value) : variant_(std::move(value)) {}
  Value(std::shared_ptr<const Dict> value) : variant_(std::move(value)) {}
  Value(std::shared_ptr<Object> value) : variant_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)
  Value(const char*) = delete;  // would become a bool

  static Value undefined(std::string message);
  static Value undefined(std::shared_ptr<const std::string> message) {
    return Value(Undefined{std::move(message)});
  }
  static Value own(std::string_view text) { return Text::own(text); }
  static Value size(std::size_t value) { return static_cast<std::int64_t>(value); }
  static Value list(std::vector<Value> items);
  static Value tuple(std::vector<Value> items);

  bool is_undefined() const { return std::holds_alternative<Undefined>(variant_); }
  bool is_unset() const;
  bool is_none() const { return std::holds_alternative<None>(variant_); }
  bool is_bool() const { return std::holds_alternative<bool>(variant_); }
  bool is_list() const;
  bool is_tuple() const;
  /// bool, int or float.
  bool is_number() const { return is_bool() || as<std::int64_t>() || as<double>(); }

  template <class T>
  const T* as() const {
    return std::get_if<T>(&variant_);
  }
  const Text* text() const { return as<Text>(); }
  const Sequence* sequence() const;
  const Dict* dict() const;
  Object* object() const;
  template <class T>
  T* object_as() const {
    return dynamic_cast<T*>(object());
  }
  /// The value of an int or bool.
  std::optional<std::int64_t> integer() const;
  /// The value of an int, bool or float.
  std::optional<double> real() const;
  /// Why the value is undefined; only for undefined values.
  const std::string& undefined_message() const;

  /// True for what holds the same object, or equal scalars (`is sameas`).
  bool same_as(const Value& other) const;
  std::size_t depth() const;
  /// Python's name of the type, e.g. "str".
  std::string_view type_name() const;

 private:
  explicit Value(Undefined undefined) : variant_(std::move(undefined)) {}

  std::variant<Undefined, None, bool, std::int64_t, double, Text, std::shared_ptr<const Sequence>,
               std::shared_ptr<const Dict>, std::shared_ptr<Object>>
      variant_;
};

/// A list or a tuple.
struct Sequence {
  enum class Kind : std::uint8_t { list, tuple };

  Kind kind;
  std::vector<Value> items;
  std::size_t depth;
  const std::pair<std::string_view, std::string_view>* field_names = nullptr;  // of a group
};

/// What is neither scalar, text nor container: macros, functions, namespaces, iterators, views.
class Object : public std::enable_shared_from_this<Object> {
 public:
  explicit Object(std::size_t depth = 0);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  virtual std::string_view type_name() const = 0;
  virtual bool is_callable() const { return false; }
  virtual Value call(Evaluator& evaluator, Arguments& arguments);
  /// The attribute `name`; none where it has no such attribute (methods are found elsewhere).
  virtual std::optional<Value> attribute(std::string_view) { return std::nullopt; }
  /// len(), for those that have one.
  virtual std::optional<std::size_t> length() const { return std::nullopt; }
  /// The item at `index` < length(), for those that can be iterated again and again.
  virtual std::optional<Value> item(std::size_t) const { return std::nullopt; }

  /// Nesting depth of what it holds.
  std::size_t depth() const { return depth_; }

 private:
  std::size_t depth_;
};

/// Refuses a container that would hold values of `depth` where that is too deep; returns its own.
std::size_t depth_above(std::size_t depth);
std::size_t depth_above(const std::vector<Value>& items);

/// bool(value).
bool truth(const Value& value);

}  // namespace cairn::text::jinja
