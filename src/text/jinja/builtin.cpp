#include "text/jinja/builtin.h"

#include <algorithm>

#include "text/jinja/limits.h"

namespace cairn::text::jinja {
namespace {

std::vector<std::string_view> split_names(std::string_view names) {
  std::vector<std::string_view> result;
  while (!names.empty()) {
    const std::size_t blank = std::min(names.find(' '), names.size());
    result.push_back(names.substr(0, blank));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return result;
}

const Builtin* find_in(std::initializer_list<BuiltinTable> tables, std::string_view name) {
  for (const BuiltinTable table : tables) {
    if (const Builtin* builtin = find_builtin(table, name)) return builtin;
  }
  return nullptr;
}

}  // namespace

Value Arguments::take_keyword(std::string_view name) {
  Value value;
  const auto at = std::find_if(keywords.begin(), keywords.end(),
                               [&](const auto& keyword) { return keyword.first.bytes() == name; });
  if (at == keywords.end()) return value;
  std::swap(value, at->second);
  keywords.erase(at);
  return value;
}

void bind(const Builtin& builtin, Arguments& arguments) {
  if (builtin.parameters.empty() && arguments.positional.empty() && arguments.keywords.empty()) {
    return;
  }
  std::vector<std::string_view> names = split_names(builtin.parameters);
  const bool takes_keywords = !names.empty() && names.back() == "**";
  if (takes_keywords) names.pop_back();
  const bool takes_rest = !names.empty() && names.back() == "*";
  if (takes_rest) names.pop_back();

  auto& positional = arguments.positional;
  if (positional.size() > names.size() && !takes_rest) {
    refuse("'{}' takes at most {} argument(s), {} given", builtin.name, names.size(),
           positional.size());
  }
  if (positional.size() < names.size()) positional.resize(names.size());
  for (std::size_t i = 0; i < names.size() && !arguments.keywords.empty(); ++i) {
    Value value = arguments.take_keyword(names[i]);
    if (value.is_unset()) continue;
    if (!positional[i].is_unset()) refuse("'{}' gets '{}' twice", builtin.name, names[i]);
    positional[i] = std::move(value);
  }
  if (!arguments.keywords.empty() && !takes_keywords) {
    refuse("'{}' takes no keyword argument '{}'", builtin.name,
           arguments.keywords.front().first.bytes());
  }
  for (std::size_t i = 0; i < builtin.required; ++i) {
    if (arguments.has(i)) continue;
    refuse("'{}' misses the argument '{}'", builtin.name, names[i] == "_" ? "value" : names[i]);
  }
}

const Builtin* find_builtin(BuiltinTable table, std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const Builtin& builtin) { return builtin.name == name; });
  return at == table.end() ? nullptr : &*at;
}

const Builtin* find_filter(std::string_view name) {
  return find_in({text_filters(), markup_filters(), refused_filters(), number_filters(),
                  sequence_filters(), selection_filters(), ordering_filters(), json_filters()},
                 name);
}

const Builtin* find_test(std::string_view name) {
  return find_in({kind_tests(), comparison_tests()}, name);
}

const Builtin* find_global(std::string_view name) {
  return find_builtin(global_functions(), name);
}

const Builtin* find_method(const Value& self, std::string_view name) {
  if (self.text()) {
    return find_in({text_methods(), text_search_methods(), text_question_methods()}, name);
  }
  if (self.sequence()) return find_builtin(sequence_methods(), name);
  if (self.dict()) return find_builtin(dict_methods(), name);
  if (self.is_number()) return find_builtin(number_methods(), name);
  return self.object() ? find_builtin(object_methods(self), name) : nullptr;
}

}  // namespace cairn::text::jinja
