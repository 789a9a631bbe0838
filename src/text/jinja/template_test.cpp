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

}  // namespace
}  // namespace cairn::text::jinja
