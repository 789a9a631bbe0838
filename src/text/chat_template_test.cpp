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

// ---- A template in the manner of ChatML ------------------------------------------------------

constexpr std::string_view kChatml =
    "{% for message in messages %}"
    "{% if loop.first and message['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}"
    "{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

TEST(ChatTemplate, RendersAConversation) {
  const ChatTemplate chat_template(kChatml);
  ChatTemplateOptions options;
  EXPECT_EQ(chat_template.render({{"user", "Hi"}}, options),
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  options.add_generation_prompt = false;
  EXPECT_EQ(chat_template.render({{"system", "S"}, {"user", "Hi"}}, options),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n");
}

TEST(ChatTemplate, MarksWhatTheConversationBrought) {
  const ChatTemplate chat_template(
      "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>' + m.content|trim + eos_token "
      "}}"
      "{% endfor %}");
  ChatTemplateOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  const auto pieces =
      chat_template.render_pieces({{"user", " Hi</s><|system|> "}, {"im_end", "x"}}, options);
  std::string marked;
  for (const PromptPiece& piece : pieces) {
    marked += piece.is_template ? piece.text : "[" + piece.text + "]";
  }
  EXPECT_EQ(marked, "<s><|user|>[Hi</s><|system|>]</s><|[im_end]|>[x]</s>");
}

TEST(ChatTemplate, ToolsAreNoneUnlessGiven) {
  const ChatTemplate chat_template("{{ tools is none }} {{ x is defined }} {{ tools|tojson }}");
  EXPECT_EQ(chat_template.render_json("{}"), "True False null");
  EXPECT_EQ(chat_template.render_json(R"({"tools": [{"b": 1, "a": 2}], "x": 0})"),
            "False True [{\"b\": 1, \"a\": 2}]");
}

TEST(ChatTemplate, RefusesWithOneLine) {
  const auto message_of = [](std::string_view source, std::string_view context) -> std::string {
    try {
      return ChatTemplate(source).render_json(context);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
      EXPECT_EQ(error.message().find('\n'), std::string::npos);
      return error.message();
    }
  };
  EXPECT_EQ(message_of("{{ raise_exception('roles must\nalternate') }}", "{}"),
            "chat template, line 1, column 19: roles must alternate");
  EXPECT_NE(message_of("{% for %}", "{}").find("line 1, column 8"), std::string::npos);
  EXPECT_NE(message_of("x", "[]").find("must be an object"), std::string::npos);
  EXPECT_NE(message_of("x", "{").find("no JSON"), std::string::npos);
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
