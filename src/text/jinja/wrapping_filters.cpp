#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/limits.h"
#include "text/jinja/text_operations.h"

namespace cairn::text::jinja {
namespace {

[[noreturn]] Value refuse_random(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'random' is not supported: a prompt must not depend on chance");
}
[[noreturn]] Value refuse_pprint(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'pprint' is not supported; use tojson(indent=2)");
}
[[noreturn]] Value refuse_urlize(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'urlize' is not supported: a prompt is no HTML");
}
[[noreturn]] Value refuse_wordwrap(Evaluator&, const Value&, Arguments&) {
  refuse("the filter 'wordwrap' is not supported");
}

constexpr Builtin kFilters[] = {
    {"random", "* **", 0, refuse_random},
    {"pprint", "* **", 0, refuse_pprint},
    {"urlize", "* **", 0, refuse_urlize},
    {"wordwrap", "* **", 0, refuse_wordwrap},
};

}  // namespace

BuiltinTable wrapping_filters() {
  return kFilters;
}

}  // namespace cairn::text::jinja
