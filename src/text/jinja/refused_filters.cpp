// Filters of Jinja2 that make no sense in a prompt. They are refused by name, and only when
// reached.
#include "text/jinja/builtin.h"
#include "text/jinja/failure.h"

namespace cairn::text::jinja {
namespace {

Value refuse_random(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'random' is not supported: a prompt must not depend on chance");
}
Value refuse_pprint(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'pprint' is not supported; use tojson(indent=2)");
}
Value refuse_urlize(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'urlize' is not supported: a prompt is no HTML");
}
Value refuse_wordwrap(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'wordwrap' is not supported: a prompt has no line width");
}

constexpr Builtin kFilters[] = {
    {"random", "* **", 0, refuse_random},
    {"pprint", "* **", 0, refuse_pprint},
    {"urlize", "* **", 0, refuse_urlize},
    {"wordwrap", "* **", 0, refuse_wordwrap},
};

}  // namespace

BuiltinTable refused_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
