#pragma once
// The variables that a macro has without declaring them, if its body uses them.

#include "text/jinja/ast.h"

namespace cairn::text::jinja {

/// Sets uses_* and has_caller_parameter: a name is used where it is read before it is set.
void find_special_variables(ast::Macro& macro);

}  // namespace cairn::text::jinja
