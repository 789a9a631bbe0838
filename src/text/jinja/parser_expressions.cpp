#include <optional>

#include "text/jinja/parser.h"

namespace cairn::text::jinja {

using ast::ExpressionPtr;

ExpressionPtr Parser::parse_expression(bool with_condition) {
  const Nesting nesting(depth_, current().position);
  return with_condition ? parse_condition() : parse_or();
}

bool Parser::is_tuple_end() const {
  const TokenKind kind = current().kind;
  return kind == TokenKind::variable_end || kind == TokenKind::block_end ||
         current().is_symbol(")");
}

ExpressionPtr Parser::parse_tuple(bool with_condition, bool is_parenthesized) {
  const Position position = current().position;
  ast::TupleLiteral tuple;
  bool is_tuple = false;
  for (;;) {
    if (!tuple.items.empty()) expect_symbol(",");
    if (is_tuple_end()) break;
    tuple.items.push_back(parse_expression(with_condition));
    if (!current().is_symbol(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !tuple.items.empty()) return std::move(tuple.items.front());
  if (!is_tuple && !is_parenthesized) unexpected("an expression");
  return make(position, std::move(tuple));
}

ExpressionPtr Parser::parse_condition() {
  ExpressionPtr then = parse_or();
  while (current().is_name("if")) {
    const Position position = take().position;
    ExpressionPtr test = parse_or();
    ExpressionPtr otherwise;
    if (skip_name("else")) otherwise = parse_expression();
    then = make(position, ast::Conditional{std::move(test), std::move(then), std::move(otherwise)});
  }
  return then;
}

ExpressionPtr Parser::parse_or() {
  ExpressionPtr left = parse_and();
  while (current().is_name("or")) {
    const Position position = take().position;
    left = make(position, ast::Logical{false, std::move(left), parse_and()});
  }
  return left;
}

ExpressionPtr Parser::parse_and() {
  ExpressionPtr left = parse_not();
  while (current().is_name("and")) {
    const Position position = take().position;
    left = make(position, ast::Logical{true, std::move(left), parse_not()});
  }
  return left;
}

ExpressionPtr Parser::parse_not() {
  if (!current().is_name("not")) return parse_compare();
  const Position position = take().position;
  const Nesting nesting(depth_, position);
  return make(position, ast::Not{parse_not()});
}

ExpressionPtr Parser::parse_compare() {
  constexpr std::pair<std::string_view, ast::Comparison> symbols[] = {
      {"==", ast::Comparison::equal},  {"!=", ast::Comparison::not_equal},
      {"<", ast::Comparison::less},    {"<=", ast::Comparison::less_equal},
      {">", ast::Comparison::greater}, {">=", ast::Comparison::greater_equal},
  };
  const auto take_comparison = [&]() -> std::optional<ast::Comparison> {
    for (const auto& [symbol, comparison] : symbols) {
      if (skip_symbol(symbol)) return comparison;
    }
    if (skip_name("in")) return ast::Comparison::in;
    if (!current().is_name("not") || !ahead().is_name("in")) return std::nullopt;
    take();
    take();
    return ast::Comparison::not_in;
  };
  ExpressionPtr first = parse_sum();
  const Position position = current().position;
  ast::Compare node;
  while (const auto comparison = take_comparison()) {
    node.rest.emplace_back(*comparison, parse_sum());
  }
  if (node.rest.empty()) return first;
  node.first = std::move(first);
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_sum() {
  ExpressionPtr left = parse_concat();
  while (current().is_symbol("+") || current().is_symbol("-")) {
    const Token& token = take();
    const ast::Operator op = token.text == "+" ? ast::Operator::add : ast::Operator::subtract;
    left = make(token.position, ast::Binary{op, std::move(left), parse_concat()});
  }
  return left;
}

ExpressionPtr Parser::parse_concat() {
  ExpressionPtr first = parse_product();
  if (!current().is_symbol("~")) return first;
  const Position position = current().position;
  ast::Concat node;
  node.parts.push_back(std::move(first));
  while (skip_symbol("~")) node.parts.push_back(parse_product());
  return make(position, std::move(node));
}

ExpressionPtr Parser::parse_product() {
  constexpr std::pair<std::string_view, ast::Operator> symbols[] = {
      {"*", ast::Operator::multiply},
      {"/", ast::Operator::divide},
      {"//", ast::Operator::floor_divide},
      {"%", ast::Operator::modulo},
  };
  const auto symbol_here = [&] {
    return std::find_if(std::begin(symbols), std::end(symbols),
                        [&](const auto& entry) { return current().is_symbol(entry.first); });
  };
  ExpressionPtr left = parse_power();
  for (const auto* entry = symbol_here(); entry != std::end(symbols); entry = symbol_here()) {
    const Position position = take().position;
    left = make(position, ast::Binary{entry->second, std::move(left), parse_power()});
  }
  return left;
}

ExpressionPtr Parser::parse_power() {
  ExpressionPtr left = parse_unary();
  while (current().is_symbol("**")) {
    const Position position = take().position;
    left = make(position, ast::Binary{ast::Operator::power, std::move(left), parse_unary()});
  }
  return left;
}

ExpressionPtr Parser::parse_unary(bool with_filter) {
  ExpressionPtr node;
  if (current().is_symbol("-") || current().is_symbol("+")) {
    const Token& token = take();
    const Nesting nesting(depth_, token.position);
    node = make(token.position, ast::Unary{token.text == "-", parse_unary(false)});
  } else {
    node = parse_primary();
  }
  node = parse_postfix(std::move(node));
  return with_filter ? parse_filter_chain(std::move(node)) : std::move(node);
}

}  // namespace cairn::text::jinja
