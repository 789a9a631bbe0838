#include "text/jinja/parser.h"

namespace cairn::text::jinja {

ast::Statements Parser::parse_scoped_body(std::string_view end_tag, Surroundings surroundings) {
  const Surroundings outside = surroundings_;
  surroundings_ = surroundings;
  ast::Statements body = parse_block_body({end_tag});
  expect_name(end_tag);
  surroundings_ = outside;
  return body;
}

ast::With Parser::parse_with() {
  ast::With node;
  while (current().kind != TokenKind::block_end) {
    if (!node.targets.empty()) expect_symbol(",");
    node.targets.push_back(parse_target(/*with_namespace=*/false));
    expect_symbol("=");
    node.values.push_back(parse_expression());
  }
  node.body = parse_scoped_body("endwith", {surroundings_.loop_depth, false});
  return node;
}

void Parser::parse_parameters(ast::Macro& macro) {
  expect_symbol("(");
  while (!current().is_symbol(")")) {
    if (!macro.parameters.empty()) expect_symbol(",");
    const Position position = current().position;
    ast::Parameter parameter;
    parameter.name = parse_name_target();
    for (const ast::Parameter& other : macro.parameters) {
      if (other.name.name == parameter.name.name) {
        refuse_at(position, "the parameter '{}' is declared twice", parameter.name.name.bytes());
      }
    }
    if (skip_symbol("=")) {
      parameter.default_value = parse_expression();
    } else if (!macro.parameters.empty() && macro.parameters.back().default_value) {
      refuse_at(position, "a parameter without a default follows one with a default");
    }
    parameter.not_provided = Value::undefined(
        fmt::format("parameter '{}' was not provided", parameter.name.name.bytes()));
    macro.parameters.push_back(std::move(parameter));
  }
  expect_symbol(")");
}

ast::Macro Parser::parse_macro() {
  ast::Macro node;
  node.is_exported = surroundings_.is_top_level;
  node.name = parse_name_target();
  parse_parameters(node);
  node.body = parse_scoped_body("endmacro", {0, false});
  return node;
}

ast::CallBlock Parser::parse_call_block() {
  ast::CallBlock node;
  node.caller = std::make_unique<ast::Macro>();
  node.caller->name.name = Text::own("caller");
  if (current().is_symbol("(")) parse_parameters(*node.caller);
  const Position position = current().position;
  node.call = parse_expression();
  if (!std::holds_alternative<ast::Call>(node.call->node)) {
    refuse_at(position, "the tag 'call' needs a call, such as 'call list(items)'");
  }
  node.caller->body = parse_scoped_body("endcall", {0, false});
  return node;
}

ast::FilterBlock Parser::parse_filter_block() {
  ast::FilterBlock node;
  node.filter = parse_filters(parse_filter(nullptr));
  node.body = parse_scoped_body("endfilter", {surroundings_.loop_depth, false});
  return node;
}

ast::Scoped Parser::parse_generation() {
  ast::Scoped node;
  node.body = parse_scoped_body("endgeneration", {0, false});
  return node;
}

ast::Scoped Parser::parse_autoescape() {
  const Position position = current().position;
  const ast::ExpressionPtr option = parse_expression();
  const auto* literal = std::get_if<ast::Literal>(&option->node);
  if (!literal || truth(literal->value)) {
    refuse_at(position, "autoescape is not supported: a chat template is no HTML");
  }
  ast::Scoped node;
  node.body = parse_scoped_body("endautoescape", {surroundings_.loop_depth, false});
  return node;
}

ast::Block Parser::parse_block() {
  const Token& name = expect_any_name();
  if (!block_names_.insert(std::string(name.text)).second) {
    refuse_at(name.position, "the block '{}' is defined twice", name.text);
  }
  for (const std::string_view option : {"scoped", "required"}) {
    if (current().is_name(option)) {
      refuse_at(current().position, "'{}' blocks are not supported", option);
    }
  }
  ast::Block node;
  node.body = parse_scoped_body("endblock", {0, false});
  skip_name(name.text);
  return node;
}

}  // namespace cairn::text::jinja
