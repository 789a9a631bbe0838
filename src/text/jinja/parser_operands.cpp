#include "text/jinja/parser.h"

namespace cairn::text::jinja {

using ast::ExpressionPtr;

ExpressionPtr Parser::parse_primary() {
  const Token& token = current();
  if (token.kind == TokenKind::literal) {
    if (token.value.text()) return parse_strings();
    return make(take().position, ast::Literal{token.value});
  }
  if (token.is_symbol("[")) return parse_list();
  if (token.is_symbol("{")) return parse_dict();
  if (skip_symbol("(")) {
    ExpressionPtr inner = parse_tuple(/*with_condition=*/true, /*is_parenthesized=*/true);
    expect_symbol(")");
    return inner;
  }
  if (token.kind != TokenKind::name) unexpected("an expression");
  take();
  const std::string_view name = token.text;
  if (name == "true" || name == "True") return make(token.position, ast::Literal{Value(true)});
  if (name == "false" || name == "False") return make(token.position, ast::Literal{Value(false)});
  if (name == "none" || name == "None") return make(token.position, ast::Literal{Value(None{})});
  return make(token.position, ast::Name{Text::own(name), {}, {}});
}

ExpressionPtr Parser::parse_strings() {
  const Position position = current().position;
  TextBuilder builder;
  while (current().kind == TokenKind::literal && current().value.text()) {
    builder.append(*take().value.text());
  }
  return make(position, ast::Literal{builder.finish()});
}

ExpressionPtr Parser::parse_list() {
  const Position position = take().position;
  ast::ListLiteral node;
  while (!current().is_symbol("]")) {
    if (!node.items.empty()) expect_symbol(",");
    if (current().is_symbol("]")) break;
    node.items.push_back(parse_expression());
  }
  expect_symbol("]");
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_dict() {
  const Position position = take().position;
  ast::DictLiteral node;
  while (!current().is_symbol("}")) {
    if (!node.entries.empty()) expect_symbol(",");
    if (current().is_symbol("}")) break;
    ExpressionPtr key = parse_expression();
    expect_symbol(":");
    node.entries.emplace_back(std::move(key), parse_expression());
  }
  expect_symbol("}");
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_postfix(ExpressionPtr subject) {
  for (;;) {
    if (current().is_symbol(".")) {
      subject = parse_attribute(std::move(subject));
    } else if (current().is_symbol("[")) {
      subject = parse_subscript(std::move(subject));
    } else if (current().is_symbol("(")) {
      subject = parse_call(std::move(subject));
    } else {
      return subject;
    }
  }
}

ExpressionPtr Parser::parse_filter_chain(ExpressionPtr subject) {
  for (;;) {
    if (skip_symbol("|")) {
      subject = parse_filter(std::move(subject));
    } else if (current().is_name("is")) {
      subject = parse_test(std::move(subject));
    } else if (current().is_symbol("(")) {
      subject = parse_call(std::move(subject));
    } else {
      return subject;
    }
  }
}

ExpressionPtr Parser::parse_attribute(ExpressionPtr subject) {
  const Position position = take().position;
  const Token& token = take();
  if (token.kind == TokenKind::name) {
    return make(position, ast::Attribute{std::move(subject), Text::own(token.text)});
  }
  if (token.kind != TokenKind::literal || !token.value.integer()) {
    refuse_at(token.position, "expected a name or a number behind '.', found {}", token.describe());
  }
  return make(position,
              ast::Item{std::move(subject), make(token.position, ast::Literal{token.value})});
}

ExpressionPtr Parser::parse_subscript(ExpressionPtr subject) {
  const Position position = take().position;
  ast::TupleLiteral indices;
  bool is_first = true;
  while (!current().is_symbol("]")) {
    if (!is_first) expect_symbol(",");
    ExpressionPtr index;
    if (!current().is_symbol(":")) index = parse_expression();
    if (current().is_symbol(":")) {
      if (!is_first) refuse_at(current().position, "a slice among several indices");
      subject = parse_slice(std::move(subject), std::move(index), position);
      expect_symbol("]");
      return subject;
    }
    indices.items.push_back(std::move(index));
    is_first = false;
  }
  expect_symbol("]");
  ExpressionPtr index = indices.items.size() == 1 ? std::move(indices.items.front())
                                                  : make(position, std::move(indices));
  return make(position, ast::Item{std::move(subject), std::move(index)});
}

ExpressionPtr Parser::parse_slice(ExpressionPtr subject, ExpressionPtr start, Position position) {
  const auto parse_bound = [&]() -> ExpressionPtr {
    const bool is_absent = current().is_symbol(":") || current().is_symbol("]");
    return is_absent ? nullptr : parse_expression();
  };
  ast::Slice node{std::move(subject), std::move(start), nullptr, nullptr};
  expect_symbol(":");
  node.stop = parse_bound();
  if (skip_symbol(":")) node.step = parse_bound();
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_call(ExpressionPtr callee) {
  const Position position = current().position;
  return make(position, ast::Call{std::move(callee), parse_arguments()});
}

ast::CallArguments Parser::parse_arguments() {
  const Position position = current().position;
  ast::CallArguments node;
  const auto require = [&](bool holds) {
    if (!holds) refuse_at(position, "the arguments of the call stand in a wrong order");
  };
  expect_symbol("(");
  for (bool is_first = true; !current().is_symbol(")"); is_first = false) {
    if (!is_first) expect_symbol(",");
    if (current().is_symbol(")")) break;
    if (skip_symbol("*")) {
      require(!node.star && !node.double_star);
      node.star = parse_expression();
    } else if (skip_symbol("**")) {
      require(!node.double_star);
      node.double_star = parse_expression();
    } else if (current().kind == TokenKind::name && ahead().is_symbol("=")) {
      require(!node.double_star);
      const Text name = Text::own(take().text);
      take();
      node.keywords.emplace_back(name, parse_expression());
    } else {
      require(!node.star && !node.double_star && node.keywords.empty());
      node.positional.push_back(parse_expression());
    }
  }
  expect_symbol(")");
  return node;
}

std::string Parser::parse_dotted_name() {
  std::string name(expect_any_name().text);
  while (skip_symbol(".")) {
    name += '.';
    name += expect_any_name().text;
  }
  return name;
}

ExpressionPtr Parser::parse_filter(ExpressionPtr subject) {
  const Position position = current().position;
  ast::Filter node;
  node.subject = std::move(subject);
  node.name = parse_dotted_name();
  node.builtin = find_filter(node.name);
  if (current().is_symbol("(")) node.arguments = parse_arguments();
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_filters(ExpressionPtr subject) {
  while (skip_symbol("|")) subject = parse_filter(std::move(subject));
  return subject;
}

bool Parser::starts_test_argument() const {
  const Token& token = current();
  if (token.kind == TokenKind::literal) return true;
  if (token.is_symbol("[") || token.is_symbol("{")) return true;
  return token.kind == TokenKind::name && !token.is_name("else") && !token.is_name("or") &&
         !token.is_name("and");
}

ExpressionPtr Parser::parse_test(ExpressionPtr subject) {
  const Position position = take().position;
  const bool is_negated = skip_name("not");
  ast::Test node;
  node.subject = std::move(subject);
  node.name = parse_dotted_name();
  node.builtin = find_test(node.name);
  if (current().is_symbol("(")) {
    node.arguments = parse_arguments();
  } else if (starts_test_argument()) {
    if (current().is_name("is")) {
      refuse_at(current().position, "tests cannot be chained with 'is'");
    }
    node.arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  ExpressionPtr test = make(position, std::move(node));
  return is_negated ? make(position, ast::Not{std::move(test)}) : std::move(test);
}

}  // namespace cairn::text::jinja
