#pragma once
// Gives every name of a parsed template its slot, by Jinja2's rules:
//   - loops, macros, with, call, filter, block and set blocks have scopes of their own; `if` has
//   not;
//   - what is set inside a scope is gone behind it;
//   - a name that a scope sets starts there as the outer variable of that name, else as undefined;
//     where only some branch of an `if` sets it, else as the context's;
//   - a name that no scope around sets is looked up in the context when its scope is entered.

#include "text/jinja/ast.h"

namespace cairn::text::jinja {

/// Fills in slots, loads and frame sizes. Refuses unknown filters and tests outside of conditions.
void resolve_names(ast::Program& program);

}  // namespace cairn::text::jinja
