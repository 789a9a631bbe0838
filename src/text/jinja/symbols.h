#pragma once
// The variables of one scope while names are being resolved.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "text/jinja/ast.h"

namespace cairn::text::jinja {

class Symbols {
 public:
  /// A scope inside `parent` (null: none) of `function`, whose loads go to `scope`.
  Symbols(Symbols* parent, ast::Function& function, ast::Scope& scope);

  void load(const Text& name);
  /// `is_conditional`: inside a branch of an `if` of this scope.
  void store(const Text& name, bool is_conditional);
  /// A variable that is set by whoever enters the scope; before any load or store.
  void declare(const Text& name);

  /// The variable as code of this scope sees it.
  std::optional<ast::Reference> find(std::string_view name) const;
  ast::Function& function() const { return function_; }

 private:
  std::uint32_t add_slot(const Text& name);
  void set_load(std::uint32_t slot, const Text& name, ast::Load::Kind kind);

  Symbols* parent_;
  ast::Function& function_;
  ast::Scope& scope_;
  std::map<std::string, std::uint32_t, std::less<>> slots_;
  std::set<std::string, std::less<>> stores_;
  std::map<std::uint32_t, std::size_t> load_of_;  // slot -> position among the scope's loads
};

}  // namespace cairn::text::jinja
