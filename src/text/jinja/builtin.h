#pragma once
// Filters, tests, methods and global functions are rows of tables: a name, the names of the
// parameters, and a plain function.

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace cairn::text::jinja {

class Evaluator;

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<Text, Value>> keywords;

  /// Given, by position or by name; only after bind().
  bool has(std::size_t index) const {
    return index < positional.size() && !positional[index].is_unset();
  }
  const Value& operator[](std::size_t index) const { return positional[index]; }
  /// The keyword's value, taken out; unset where it is not given.
  Value take_keyword(std::string_view name);
};

/// `self` is what stands left of the filter's pipe, of `is`, or of the method's dot; after bind()
/// arguments[i] is the i-th parameter, unset where it was not given.
using BuiltinFunction = Value (*)(Evaluator& evaluator, const Value& self, Arguments& arguments);

struct Builtin {
  std::string_view name;
  // Names separated by blanks. "_": by position only. A last "*": any number of positional
  // arguments follows; a last "**": keywords too.
  std::string_view parameters;
  std::size_t required;  // how many of them must be given
  BuiltinFunction function;
};

/// Moves keywords to their parameters; refuses too many, unknown, doubled and missing ones.
void bind(const Builtin& builtin, Arguments& arguments);

using BuiltinTable = std::span<const Builtin>;
const Builtin* find_builtin(BuiltinTable table, std::string_view name);

/// Null where there is none.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);
const Builtin* find_global(std::string_view name);
const Builtin* find_method(const Value& self, std::string_view name);

BuiltinTable text_filters();
BuiltinTable markup_filters();
BuiltinTable refused_filters();
BuiltinTable number_filters();
BuiltinTable sequence_filters();
BuiltinTable selection_filters();
BuiltinTable ordering_filters();
BuiltinTable json_filters();
BuiltinTable kind_tests();
BuiltinTable comparison_tests();
BuiltinTable text_methods();
BuiltinTable text_search_methods();
BuiltinTable text_question_methods();
BuiltinTable sequence_methods();
BuiltinTable dict_methods();
BuiltinTable number_methods();
BuiltinTable object_methods(const Value& self);
BuiltinTable global_functions();

}  // namespace cairn::text::jinja
