#pragma once
// The Jinja engine's front: a template is parsed once and rendered many times. The environment is
// that of transformers' chat templates: immutable sandbox, trim_blocks, lstrip_blocks, loop
// controls, `tojson` without HTML escapes, raise_exception, strftime_now, generation blocks.

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/limits.h"
#include "text/jinja/text.h"
#include "text/jinja/value.h"

namespace cairn::text::jinja {

namespace ast {
struct Program;
}

struct RenderOptions {
  std::optional<std::tm> now;  // what strftime_now sees; the local time where it is not set
  Limits limits;
};

/// render() is const and thread-safe.
class Template {
 public:
  /// Throws Error(invalid_argument) with line and column where the source is wrong.
  explicit Template(std::string_view source);
  ~Template();
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;

  /// `context` is a dict of the variables. Throws Error(invalid_argument) with line and column
  /// where the template refuses (raise_exception) or fails.
  Text render(const Value& context, const RenderOptions& options = {}) const;

 private:
  std::string source_;
  std::unique_ptr<const ast::Program> program_;
};

}  // namespace cairn::text::jinja
