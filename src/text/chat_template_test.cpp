#include "text/chat_template.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"

namespace cairn::text {
namespace {

using Json = nlohmann::ordered_json;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The time at which the stored cases were rendered: 2026-07-01 12:34:56, a Wednesday.
std::tm fixed_now() {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mon = 6;
  now.tm_mday = 1;
  now.tm_hour = 12;
  now.tm_min = 34;
  now.tm_sec = 56;
  now.tm_wday = 3;
  now.tm_yday = 181;
  return now;
}

/// Empty where the case came out as stored, else what went wrong.
std::string check_case(const ChatTemplate& chat_template, const Json& test_case) {
  const bool wants_error = test_case.contains("error");
  try {
    const std::string text = chat_template.render_json(test_case["input"].dump(), fixed_now());
    if (wants_error) return "rendered, but must be refused: " + test_case["error"].dump();
    const std::string expected = test_case["expected"];
    return text == expected ? "" : "expected\n" + expected + "\nfound\n" + text;
  } catch (const Error& error) {
    return wants_error ? "" : error.message();
  }
}

TEST(ChatTemplateConformance, RendersRealTemplatesAsJinja2Does) {
  const std::filesystem::path folder =
      std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/conformance/chat_templates";
  if (!std::filesystem::exists(folder / "cases.jsonl")) {
    GTEST_SKIP() << "no conformance data: " << folder << " is missing";
  }
  std::map<std::string, ChatTemplate> templates;
  std::ifstream cases(folder / "cases.jsonl");
  std::size_t case_count = 0;
  std::size_t passed_count = 0;
  for (std::string line; std::getline(cases, line);) {
    const Json test_case = Json::parse(line);
    const std::string name = test_case["template"];
    auto at = templates.find(name);
    if (at == templates.end()) {
      at = templates.emplace(name, ChatTemplate(read_file(folder / name))).first;
    }
    ++case_count;
    const std::string problem = check_case(at->second, test_case);
    if (problem.empty()) ++passed_count;
    EXPECT_EQ(problem, "") << name << " / " << test_case["case"];
  }
  EXPECT_EQ(passed_count, case_count);
  RecordProperty("cases", static_cast<int>(case_count));
  EXPECT_GE(case_count, 500U);
}

}  // namespace
}  // namespace cairn::text
