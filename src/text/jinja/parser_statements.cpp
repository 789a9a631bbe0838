#include <functional>

#include "text/jinja/parser.h"

namespace cairn::text::jinja {

ast::Statements Parser::parse_body(EndTags end_tags) {
  ast::Statements statements;
  for (;;) {
    const Token& token = current();
    switch (token.kind) {
      case TokenKind::end:
        if (end_tags.size() != 0) unexpected(fmt::format("the tag '{}'", *(end_tags.end() - 1)));
        return statements;
      case TokenKind::data:
        statements.push_back({token.position, ast::Data{Text::own(token.text)}});
        take();
        break;
      case TokenKind::variable_begin: {
        take();
        ast::ExpressionPtr value = parse_tuple();
        statements.push_back({token.position, ast::Print{std::move(value)}});
        expect(TokenKind::variable_end, "the end of the expression");
        break;
      }
      default:
        expect(TokenKind::block_begin, "a tag");
        for (const std::string_view end_tag : end_tags) {
          if (current().is_name(end_tag)) return statements;
        }
        parse_tag(statements);
        expect(TokenKind::block_end, "the end of the tag");
    }
  }
}

ast::Statements Parser::parse_block_body(EndTags end_tags) {
  skip_symbol(":");  // Python's habit
  expect(TokenKind::block_end, "the end of the tag");
  return parse_body(end_tags);
}

void Parser::parse_tag(ast::Statements& statements) {
  const Token& token = current();
  if (token.kind != TokenKind::name) unexpected("the name of a tag");
  const Nesting nesting(depth_, token.position);
  take();
  if (token.text == "print") return parse_print(statements);
  statements.push_back(parse_statement(token.text, token.position));
}

ast::Statement Parser::parse_statement(std::string_view tag, Position position) {
  const auto with = [&](auto node) { return ast::Statement{position, std::move(node)}; };
  if (tag == "if") return with(parse_if());
  if (tag == "for") return with(parse_for());
  if (tag == "set") {
    return std::visit([&](auto&& node) { return with(std::move(node)); }, parse_set());
  }
  if (tag == "macro") return with(parse_macro());
  if (tag == "call") return with(parse_call_block());
  if (tag == "filter") return with(parse_filter_block());
  if (tag == "with") return with(parse_with());
  if (tag == "generation") return with(parse_generation());
  if (tag == "autoescape") return with(parse_autoescape());
  if (tag == "block") return with(parse_block());
  if (tag == "break" || tag == "continue") {
    require_loop(tag, position);
    if (tag == "break") return with(ast::Break{});
    return with(ast::Continue{});
  }
  for (const std::string_view other : {"include", "import", "from", "extends"}) {
    if (tag == other) {
      refuse_at(position, "the tag '{}' is not supported: a chat template is one file", tag);
    }
  }
  refuse_at(position, "unknown tag '{}'", tag);
}

void Parser::require_loop(std::string_view tag, Position position) const {
  if (surroundings_.loop_depth == 0) refuse_at(position, "'{}' stands outside of a loop", tag);
}

void Parser::parse_print(ast::Statements& statements) {
  bool is_first = true;
  while (current().kind != TokenKind::block_end) {
    if (!is_first) expect_symbol(",");
    is_first = false;
    const Position position = current().position;
    statements.push_back({position, ast::Print{parse_expression()}});
  }
}

ast::If Parser::parse_if() {
  ast::If node;
  do {
    ast::ExpressionPtr test = parse_tuple(/*with_condition=*/false);
    node.branches.emplace_back(std::move(test), parse_block_body({"elif", "else", "endif"}));
  } while (skip_name("elif"));
  if (skip_name("else")) node.otherwise = parse_block_body({"endif"});
  expect_name("endif");
  return node;
}

ast::For Parser::parse_for() {
  ast::For node;
  ++any_loop_depth_;
  const std::size_t target_start = at_;
  node.target = parse_target(/*with_namespace=*/false);
  expect_name("in");
  node.iterable = parse_tuple(/*with_condition=*/false);
  if (skip_name("if")) {
    node.filter = parse_expression();
    const std::size_t behind = at_;
    at_ = target_start;
    node.filter_target = parse_target(/*with_namespace=*/false);
    at_ = behind;
  }
  node.is_recursive = skip_name("recursive");
  node.loop.name = Text::own("loop");

  const Surroundings outside = surroundings_;
  surroundings_ = {outside.loop_depth + 1, false};
  node.body = parse_block_body({"endfor", "else"});
  surroundings_ = {outside.loop_depth, false};
  if (skip_name("else")) node.otherwise = parse_block_body({"endfor"});
  expect_name("endfor");
  surroundings_ = outside;
  --any_loop_depth_;
  return node;
}

std::variant<ast::Set, ast::SetBlock> Parser::parse_set() {
  const bool is_exported = surroundings_.is_top_level;
  ast::Target target = parse_target(/*with_namespace=*/true);
  if (skip_symbol("=")) return ast::Set{std::move(target), parse_tuple(), is_exported};
  ast::SetBlock node;
  node.target = std::move(target);
  node.is_exported = is_exported;
  node.filter = parse_filters(nullptr);
  node.body = parse_scoped_body("endset", {surroundings_.loop_depth, false});
  return node;
}

}  // namespace cairn::text::jinja
