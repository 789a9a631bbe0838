#pragma once
// Tokens to tree. Recursion follows the nesting of tags and parentheses and is refused beyond
// kMaxParseDepth; long chains of operators grow the tree in a loop and are bounded by its height.

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/lexer.h"

namespace cairn::text::jinja {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// Names are not resolved yet (scopes.h). Throws SyntaxFailure.
  ast::Program run();

 private:
  using EndTags = std::initializer_list<std::string_view>;

  /// Counts nesting while it lives.
  class Nesting {
   public:
    Nesting(std::size_t& depth, Position position);
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    std::size_t& depth_;
  };

  struct Surroundings {
    std::size_t loop_depth = 0;  // loops that break and continue can reach from here
    bool is_top_level = true;    // what is set here can be seen by blocks
  };

  // Tokens.
  const Token& current() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& take();
  bool skip_symbol(std::string_view symbol);
  bool skip_name(std::string_view name);
  void expect_symbol(std::string_view symbol);
  void expect_name(std::string_view name);
  const Token& expect_any_name();
  void expect(TokenKind kind, std::string_view what);
  [[noreturn]] void unexpected(std::string_view expected) const;

  // Statements (parser_statements.cpp, parser_blocks.cpp).
  ast::Statements parse_body(EndTags end_tags);
  ast::Statements parse_block_body(EndTags end_tags);
  void parse_tag(ast::Statements& statements);
  ast::Statement parse_statement(std::string_view tag, Position position);
  void parse_print(ast::Statements& statements);
  ast::If parse_if();
  ast::For parse_for();
  std::variant<ast::Set, ast::SetBlock> parse_set();
  ast::With parse_with();
  ast::Macro parse_macro();
  ast::CallBlock parse_call_block();
  ast::FilterBlock parse_filter_block();
  ast::Scoped parse_generation();
  ast::Scoped parse_autoescape();
  ast::Block parse_block();
  void parse_parameters(ast::Macro& macro);
  /// A body with a scope of its own.
  ast::Statements parse_scoped_body(std::string_view end_tag, Surroundings surroundings);
  void require_loop(std::string_view tag, Position position) const;

  // Targets of assignments.
  ast::Target parse_target(bool with_namespace);
  ast::Target parse_single_target(bool with_namespace);
  ast::Name parse_name_target();

  // Expressions (parser_expressions.cpp, parser_operands.cpp).
  ast::ExpressionPtr parse_expression(bool with_condition = true);
  ast::ExpressionPtr parse_tuple(bool with_condition = true, bool is_parenthesized = false);
  /// Where a tuple may end behind a comma. "in" is no such place: Jinja2 refuses `for a, in b`.
  bool is_tuple_end() const;
  ast::ExpressionPtr parse_condition();
  ast::ExpressionPtr parse_or();
  ast::ExpressionPtr parse_and();
  ast::ExpressionPtr parse_not();
  ast::ExpressionPtr parse_compare();
  ast::ExpressionPtr parse_sum();
  ast::ExpressionPtr parse_concat();
  ast::ExpressionPtr parse_product();
  ast::ExpressionPtr parse_power();
  ast::ExpressionPtr parse_unary(bool with_filter = true);
  ast::ExpressionPtr parse_primary();
  ast::ExpressionPtr parse_strings();
  ast::ExpressionPtr parse_list();
  ast::ExpressionPtr parse_dict();
  ast::ExpressionPtr parse_postfix(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_filter_chain(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_attribute(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_subscript(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_slice(ast::ExpressionPtr subject, ast::ExpressionPtr start,
                                 Position position);
  ast::ExpressionPtr parse_call(ast::ExpressionPtr callee);
  ast::ExpressionPtr parse_filter(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_filters(ast::ExpressionPtr subject);
  ast::ExpressionPtr parse_test(ast::ExpressionPtr subject);
  ast::CallArguments parse_arguments();
  bool starts_test_argument() const;
  std::string parse_dotted_name();

  /// Makes a node and refuses a tree that grows too high.
  static ast::ExpressionPtr make(Position position, decltype(ast::Expression::node) node);

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t any_loop_depth_ = 0;  // loops around here: `loop` cannot be assigned
  Surroundings surroundings_;
  std::set<std::string, std::less<>> block_names_;
};

}  // namespace cairn::text::jinja
