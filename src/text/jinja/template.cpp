#include "text/jinja/template.h"

#include <algorithm>

#include "base/error.h"
#include "text/jinja/ast.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/lexer.h"
#include "text/jinja/parser.h"
#include "text/jinja/scopes.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {
namespace {

/// Errors are one line, whatever the template put into its own.
[[noreturn]] void fail_at(Position position, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fail(ErrorKind::invalid_argument, "chat template, line {}, column {}: {}", position.line,
       position.column, message);
}

}  // namespace

Template::Template(std::string_view source) {
  if (source.size() > kMaxSourceBytes) {
    fail(ErrorKind::invalid_argument, "chat template of {} bytes: at most {} are supported",
         source.size(), kMaxSourceBytes);
  }
  if (!is_valid_utf8(source)) {
    fail(ErrorKind::invalid_argument, "chat template: not valid UTF-8");
  }
  try {
    source_ = normalize_source(source);
    auto program = std::make_unique<ast::Program>(Parser(tokenize(source_)).run());
    resolve_names(*program);
    program_ = std::move(program);
  } catch (const SyntaxFailure& failure) {
    fail_at(failure.position(), failure.message());
  } catch (const Failure& failure) {
    fail_at({}, failure.message());
  }
}

Template::~Template() = default;
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;

Text Template::render(const Value& context, const RenderOptions& options) const {
  if (!context.dict()) {
    fail(ErrorKind::invalid_argument, "the context of a chat template must be an object, found {}",
         context.type_name());
  }
  Evaluator evaluator(*program_, *context.dict(), options.now, options.limits);
  try {
    return evaluator.run();
  } catch (const Failure& failure) {
    fail_at(evaluator.position(), failure.message());
  }
}

}  // namespace cairn::text::jinja
