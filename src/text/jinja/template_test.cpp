#include "text/jinja/template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "text/jinja/json.h"

namespace cairn::text::jinja {
namespace {

/// The time at which the stored cases were made: 2026-07-01 12:34:56, a Wednesday.
RenderOptions fixed_options() {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mon = 6;
  now.tm_mday = 1;
  now.tm_hour = 12;
  now.tm_min = 34;
  now.tm_sec = 56;
  now.tm_wday = 3;
  now.tm_yday = 181;
  RenderOptions options;
  options.now = now;
  options.limits.max_steps = 2'000'000;
  return options;
}

std::string render(std::string_view source, std::string_view context = "{}") {
  return std::string(Template(source).render(parse_json(context), fixed_options()).bytes());
}

/// The message of the error, which must be one; empty where there was none.
std::string refusal(std::string_view source, std::string_view context = "{}") {
  try {
    render(source, context);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    return error.message();
  }
}

// ---- Stored cases (tools/make_jinja_cases.py) -------------------------------------------------

struct Case {
  std::string name, source, context, expected;
  bool is_error = false;
};

/// What stands between a marker line and the newline before the next marker.
std::string take_part(std::string_view& text, std::string_view marker, std::string_view next) {
  EXPECT_TRUE(text.starts_with(marker)) << marker << " expected at: " << text.substr(0, 80);
  text.remove_prefix(std::min(marker.size(), text.size()));
  const std::size_t end = std::min(text.find(next), text.size());
  const std::string part(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << file.rdbuf();
  std::string content = buffer.str();
  if (content.ends_with('\n')) content.pop_back();
  std::string_view text = content;
  std::vector<Case> cases;
  while (!text.empty()) {
    Case one;
    one.name = take_part(text, "=== ", "\n--- template\n");
    one.source = take_part(text, "--- template\n", "\n--- context\n");
    one.context = take_part(text, "--- context\n", "\n--- ");
    one.is_error = text.starts_with("--- error\n");
    one.expected = take_part(text, one.is_error ? "--- error\n" : "--- expected\n", "\n=== ");
    cases.push_back(std::move(one));
  }
  return cases;
}

TEST(JinjaCases, ComeOutAsInJinja2) {
  const auto folder = std::filesystem::path(CAIRN_SOURCE_DIR) / "tests" / "cases" / "jinja";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".case") continue;
    for (const Case& one : read_cases(entry.path())) {
      SCOPED_TRACE(one.name + "\n" + one.source);
      ++count;
      std::string found;
      std::string error;
      try {
        found = render(one.source, one.context);
      } catch (const Error& caught) {
        error = caught.message();
      }
      if (one.is_error) {
        EXPECT_NE(error.find("line "), std::string::npos)
            << "must be refused: " << one.expected << "\nrendered: " << found << error;
      } else {
        EXPECT_EQ(error, "");
        EXPECT_EQ(found, one.expected);
      }
    }
  }
  EXPECT_GE(count, 500U);
}

// ---- Errors -----------------------------------------------------------------------------------

TEST(JinjaErrors, NameLineAndColumn) {
  EXPECT_EQ(refusal("a\nbé {{ x.y }}"), "chat template, line 2, column 8: 'x' is undefined");
  EXPECT_EQ(refusal("{% if true %}\n\n{% foo %}"),
            "chat template, line 3, column 4: unknown tag 'foo'");
  EXPECT_EQ(refusal("x {{ raise_exception('no') }}"), "chat template, line 1, column 21: no");
  EXPECT_EQ(refusal("{{ 1\n   + 'a' }}"),
            "chat template, line 2, column 4: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_NE(refusal("{% include 'x' %}").find("'include' is not supported"), std::string::npos);
  EXPECT_NE(refusal("{{ 'a\xff' }}").find("UTF-8"), std::string::npos);
}

TEST(JinjaErrors, ContextMustBeAnObject) {
  EXPECT_NE(refusal("x", "[1]").find("must be an object"), std::string::npos);
}

TEST(JinjaErrors, ContextMustBeJson) {
  EXPECT_THROW(parse_json("{"), Failure);
  EXPECT_THROW(parse_json("{} x"), Failure);
  EXPECT_THROW(parse_json("\"\xff\""), Failure);
}

// ---- Limits -----------------------------------------------------------------------------------

std::string repeated(std::string_view part, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += part;
  return result;
}

TEST(JinjaLimits, NestingOfTheSource) {
  for (const std::string& source : {
           "{{ " + repeated("(", 100'000) + "1" + repeated(")", 100'000) + " }}",
           "{{ " + repeated("[", 100'000) + repeated("]", 100'000) + " }}",
           "{{ " + repeated("-", 100'000) + "1 }}",
           "{{ " + repeated("not ", 100'000) + "1 }}",
           "{{ 1" + repeated(" + 1", 100'000) + " }}",
           "{{ x" + repeated(".y", 100'000) + " }}",
           "{{ x" + repeated("|upper", 100'000) + " }}",
           "{{ x" + repeated(" if 1 else 2", 50'000) + " }}",
           "{{ x" + repeated("()", 100'000) + " }}",
           repeated("{% if 1 %}", 50'000),
           repeated("{% for x in y %}", 50'000),
           "{% set " + repeated("(", 100'000) + "x" + repeated(")", 100'000) + " = 1 %}",
       }) {
    EXPECT_NE(refusal(source).find("nested deeper"), std::string::npos) << source.substr(0, 40);
  }
  EXPECT_EQ(render("{{ 1" + repeated(" + 1", 300) + " }}"), "301");
  EXPECT_EQ(render("{{ " + repeated("(", 100) + "1" + repeated(")", 100) + " }}"), "1");
  EXPECT_EQ(render("{{ 1" + repeated(" ~ 1", 5'000) + " }}").size(), 5'001U);
}

TEST(JinjaLimits, RecursionOfMacros) {
  EXPECT_NE(refusal("{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}").find("deeper"),
            std::string::npos);
  EXPECT_NE(refusal("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}").find("deeper"),
            std::string::npos);
}

TEST(JinjaLimits, StepsAndSizes) {
  const std::string nested_loops =
      repeated("{% for x in range(100000) %}", 5) + "x" + repeated("{% endfor %}", 5);
  for (const std::string& source : {
           nested_loops,
           std::string("{{ 'a' * 100000000000 }}"),
           std::string("{{ [0] * 100000000000 }}"),
           std::string("{% set ns = namespace(s='ab') %}{% for i in range(99) %}"
                       "{% set ns.s = ns.s + ns.s %}{% endfor %}"),
           std::string("{% set ns = namespace(s=[1]) %}{% for i in range(99) %}"
                       "{% set ns.s = ns.s + ns.s %}{% endfor %}"),
           std::string("{{ range(99999)|batch(1)|list|sort|map('string')|join|length * 0 }}"
                       "{% for i in range(99999) %}{{ range(99999)|list|length }}{% endfor %}"),
           std::string("{{ '%1000000000d' % 1 }}"),
           std::string("{{ '{:1000000000}'.format(1) }}"),
           std::string("{{ 'x'.center(100000000000) }}"),
           std::string("{{ 1|tojson(indent=100000000000) }}{{ [1]|tojson(indent=100000000000) }}"),
           std::string("{{ [1]|batch(100000000000, 1)|list }}"),
           std::string("{{ [1]|slice(100000000000)|list }}"),
           std::string("{{ 10 ** 100 }}"),
           std::string("{{ range(0, 10000000) }}"),
       }) {
    EXPECT_NE(refusal(source), "") << source;
  }
}

TEST(JinjaLimits, DepthOfValues) {
  EXPECT_NE(refusal("{% set ns = namespace(x=[]) %}{% for i in range(1000) %}"
                    "{% set ns.x = [ns.x] %}{% endfor %}")
                .find("nested deeper"),
            std::string::npos);
  EXPECT_THROW(parse_json(repeated("[", 100'000)), Failure);
  EXPECT_THROW(parse_json(repeated("[", 1000) + repeated("]", 1000)), Failure);
  // A namespace that holds itself has no bottom.
  EXPECT_NE(refusal("{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}").find("too deep"),
            std::string::npos);
  // Equal values that share all their parts are compared part by part, but not for ever.
  EXPECT_NE(refusal("{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}"
                    "{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}"
                    "{{ ns.x == ns.y }}")
                .find("steps"),
            std::string::npos);
}

// ---- Sharing ----------------------------------------------------------------------------------

TEST(JinjaTemplate, RendersInManyThreadsAtOnce) {
  const Template shared(
      "{% macro m(x) %}[{{ x|upper }}]{% endmacro %}{% set ns = namespace(n=0) %}"
      "{% for w in words %}{% set ns.n = ns.n + loop.index %}{{ m(w) }}{% endfor %}{{ ns.n }}");
  std::vector<std::string> results(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&shared, &results, i] {
      const Value context = parse_json(R"({"words": ["a", "b", "c"]})");
      for (int k = 0; k < 200; ++k) results[i] = shared.render(context).bytes();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, "[A][B][C]6");
}

}  // namespace
}  // namespace cairn::text::jinja
