#include "text/jinja/parser.h"

#include "text/jinja/ast_walk.h"
#include "text/jinja/limits.h"

namespace cairn::text::jinja {

using ast::ExpressionPtr;

Parser::Nesting::Nesting(std::size_t& depth, Position position) : depth_(depth) {
  if (++depth_ > kMaxParseDepth) {
    --depth_;
    refuse_at(position, "tags or expressions are nested deeper than {} levels", kMaxParseDepth);
  }
}

ast::Program Parser::run() {
  ast::Program program;
  program.body = parse_body({});
  program.has_blocks = !block_names_.empty();
  return program;
}

const Token& Parser::take() {
  const Token& token = tokens_[at_];
  if (token.kind != TokenKind::end) ++at_;
  return token;
}

bool Parser::skip_symbol(std::string_view symbol) {
  const bool is_it = current().is_symbol(symbol);
  if (is_it) take();
  return is_it;
}

bool Parser::skip_name(std::string_view name) {
  const bool is_it = current().is_name(name);
  if (is_it) take();
  return is_it;
}

void Parser::expect_symbol(std::string_view symbol) {
  if (!skip_symbol(symbol)) unexpected(fmt::format("'{}'", symbol));
}

void Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) unexpected(fmt::format("'{}'", name));
}

const Token& Parser::expect_any_name() {
  if (current().kind != TokenKind::name) unexpected("a name");
  return take();
}

void Parser::expect(TokenKind kind, std::string_view what) {
  if (current().kind != kind) unexpected(what);
  take();
}

void Parser::unexpected(std::string_view expected) const {
  refuse_at(current().position, "expected {}, found {}", expected, current().describe());
}

ExpressionPtr Parser::make(Position position, decltype(ast::Expression::node) node) {
  auto expression = std::make_unique<ast::Expression>();
  expression->position = position;
  expression->node = std::move(node);
  std::uint32_t height = 0;
  ast::for_each_child(
      *expression, [&](const ast::Expression& child) { height = std::max(height, child.height); });
  if (height >= kMaxTreeHeight) {
    refuse_at(position, "the expression is nested deeper than {} levels", kMaxTreeHeight);
  }
  expression->height = height + 1;
  return expression;
}

ast::Target Parser::parse_target(bool with_namespace) {
  const Position position = current().position;
  ast::TupleTarget tuple;
  bool is_tuple = false;
  for (;;) {
    if (!tuple.items.empty()) expect_symbol(",");
    if (is_tuple_end()) break;
    tuple.items.push_back(parse_single_target(with_namespace));
    if (!current().is_symbol(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && tuple.items.size() == 1) return std::move(tuple.items.front());
  if (!is_tuple && !current().is_symbol(")")) unexpected("a name to assign to");
  return {position, std::move(tuple)};
}

ast::Target Parser::parse_single_target(bool with_namespace) {
  const Position position = current().position;
  const Nesting nesting(depth_, position);
  if (skip_symbol("(")) {
    ast::Target target = parse_target(with_namespace);
    expect_symbol(")");
    return target;
  }
  const Token& token = expect_any_name();
  if (with_namespace && skip_symbol(".")) {
    const Text attribute = Text::own(expect_any_name().text);
    return {position, ast::NamespaceTarget{{Text::own(token.text), {}, {}}, attribute}};
  }
  --at_;
  return {position, parse_name_target()};
}

ast::Name Parser::parse_name_target() {
  const Token& token = expect_any_name();
  for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
    if (token.text == constant) refuse_at(token.position, "cannot assign to '{}'", constant);
  }
  if (token.text == "loop" && any_loop_depth_ > 0) {
    refuse_at(token.position, "cannot assign to the special variable 'loop' inside a loop");
  }
  return {Text::own(token.text), {}, {}};
}

}  // namespace cairn::text::jinja
