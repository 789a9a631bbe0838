#include "text/chat_template.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "text/chat_context.h"

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
    const std::string text = joined(
        chat_template.render_context(chat_context(test_case["input"].dump(), {}), fixed_now()));
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

std::string render(std::string_view source, const ChatRequest& request) {
  return joined(ChatTemplate(source).render(request, {{"bos_token", "<s>"}}));
}

std::string render_json(std::string_view source, std::string_view context) {
  return joined(ChatTemplate(source).render_context(chat_context(context, {})));
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
    return error.message();
  }
  return "no error";
}

TEST(ChatTemplate, RendersAConversation) {
  EXPECT_EQ(render(kChatml, {.messages = {{"user", "Hi"}}}),
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(render(kChatml,
                   {.messages = {{"system", "S"}, {"user", "Hi"}}, .add_generation_prompt = false}),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n");
}

TEST(ChatTemplate, MarksWhatTheConversationBrought) {
  const ChatTemplate chat_template(
      "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>' + m.content|trim + eos_token "
      "}}"
      "{% endfor %}");
  const auto pieces =
      chat_template.render({.messages = {{"user", " Hi</s><|system|> "}, {"im_end", "x"}}},
                           {{"bos_token", "<s>"}, {"eos_token", "</s>"}});
  std::string marked;
  for (const PromptPiece& piece : pieces) {
    marked += piece.is_template ? piece.text : "[" + piece.text + "]";
  }
  EXPECT_EQ(marked, "<s><|user|>[Hi</s><|system|>]</s><|[im_end]|>[x]</s>");
}

TEST(ChatTemplate, ToolsAreNoneUnlessGiven) {
  constexpr std::string_view source = "{{ tools is none }} {{ x is defined }} {{ tools|tojson }}";
  EXPECT_EQ(render_json(source, "{}"), "True False null");
  EXPECT_EQ(render_json(source, R"({"tools": [{"b": 1, "a": 2}], "x": 0})"),
            "False True [{\"b\": 1, \"a\": 2}]");
  EXPECT_EQ(render(source, {.tools_json = "[]"}), "True False null");
  EXPECT_EQ(render(source, {.tools_json = R"([{"b": 1}])", .keywords_json = R"({"x": null})"}),
            "False True [{\"b\": 1}]");
}

TEST(ChatTemplate, KeywordsReachTheTemplate) {
  constexpr std::string_view source =
      "{{ enable_thinking }}|{{ effort }}|{{ documents|tojson }}|{{ bos_token }}";
  EXPECT_EQ(render(source, {}), "||null|<s>");
  EXPECT_EQ(render(source, {.documents_json = R"([{"title": "t"}])",
                            .enable_thinking = false,
                            .keywords_json = R"({"effort": "low", "bos_token": "^"})"}),
            R"(False|low|[{"title": "t"}]|^)");
}

TEST(ChatTemplate, FieldsOfAMessageWinOverItsText) {
  EXPECT_EQ(render("{% for m in messages %}{{ m.role }}:{{ m.content }}:{{ m.name }};{% endfor %}",
                   {.messages = {{"user", "a", R"({"name": "n"})"},
                                 {"", "", R"({"role": "tool", "content": "b"})"}}}),
            "user:a:n;tool:b:;");
}

// ---- Content as the template wants it ----------------------------------------------------------

constexpr std::string_view kTextOnly = "{% for m in messages %}[{{ m.content }}]{% endfor %}";
constexpr std::string_view kPartsOnly =
    "{% for m in messages %}[{% for part in m.content %}{% if part.type == 'text' %}"
    "<{{ part.text }}>{% endif %}{% endfor %}]{% endfor %}";
constexpr std::string_view kEither =
    "{% for m in messages %}[{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for part in m.content %}<{{ part.text }}>{% endfor %}{% endif %}]{% endfor %}";

TEST(ChatTemplate, ContentComesInTheFormThatTheTemplateTakes) {
  const ChatMessage text{"user", "Hi"};
  const ChatMessage parts{
      "user", "", R"({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})"};
  EXPECT_EQ(render(kTextOnly, {.messages = {text, parts}}), "[Hi][a\nb]");
  EXPECT_EQ(render(kPartsOnly, {.messages = {text, parts}}), "[<Hi>][<a><b>]");
  EXPECT_EQ(render(kEither, {.messages = {text, parts}}), "[Hi][<a><b>]");
  EXPECT_EQ(render("{{ messages|tojson }}", {.messages = {parts}}),
            R"([{"role": "user", "content": "a\nb"}])");
}

TEST(ChatTemplate, APartThatIsNoTextNeedsATemplateThatTakesParts) {
  const ChatMessage image{"user", "", R"({"content": [{"type": "image"}]})"};
  EXPECT_EQ(message_of([&] {
              render(kTextOnly, {.messages = {{"user", "x"}, image}});
            }),
            "message 2: a part of its content is no text, and this model's chat template takes "
            "only text");
  EXPECT_EQ(render(kPartsOnly, {.messages = {image}}), "[]");
}

// ---- Going on with the last message ------------------------------------------------------------

TEST(ChatTemplate, ContinuesTheLastMessage) {
  const auto continued = [](std::string_view source, const std::string& content) {
    return render(source, {.messages = {{"user", "Q"}, {"assistant", content}},
                           .add_generation_prompt = false,
                           .continue_final_message = true});
  };
  constexpr std::string_view keeps =
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}";
  constexpr std::string_view trims =
      "{% for m in messages %}<{{ m.role }}>{{ m.content|trim }}</s>{% endfor %}";
  EXPECT_EQ(continued(keeps, "Sure, "), "<user>Q</s><assistant>Sure, ");
  EXPECT_EQ(continued(trims, "Sure, "), "<user>Q</s><assistant>Sure,");
  EXPECT_EQ(continued(trims, ""), "<user>Q</s><assistant>");
  EXPECT_EQ(continued(kPartsOnly, "Sure"), "[<Q>][<Sure");
}

TEST(ChatTemplate, RefusesWhatCannotBeContinued) {
  const auto refusal = [](std::string_view source, ChatRequest request) {
    request.continue_final_message = true;
    return message_of([&] { render(source, request); });
  };
  ChatRequest request{.messages = {{"assistant", "A"}}};
  EXPECT_NE(refusal(kTextOnly, request).find("exclude each other"), std::string::npos);
  request.add_generation_prompt = false;
  EXPECT_NE(refusal("nothing", request).find("does not print"), std::string::npos);
  request.messages.front().fields_json = R"({"content": null})";
  EXPECT_NE(refusal(kTextOnly, request).find("message 1: it has no text"), std::string::npos);
  request.messages.clear();
  EXPECT_NE(refusal(kTextOnly, request).find("no message"), std::string::npos);
}

TEST(ChatTemplate, RefusesWithOneLine) {
  const auto refusal = [](std::string_view source, std::string_view context) {
    return message_of([&] { render_json(source, context); });
  };
  EXPECT_EQ(refusal("{{ raise_exception('roles must\nalternate') }}", "{}"),
            "chat template, line 1, column 19: roles must alternate");
  EXPECT_NE(refusal("{% for %}", "{}").find("line 1, column 8"), std::string::npos);
  EXPECT_NE(refusal("x", "[]").find("must be a JSON object, found list"), std::string::npos);
  EXPECT_NE(refusal("x", "{").find("no JSON"), std::string::npos);
}

TEST(ChatTemplate, RequestsNameTheFieldThatIsWrong) {
  const auto refusal = [](const ChatRequest& request) {
    return message_of([&] { render("x", request); });
  };
  EXPECT_NE(refusal({.tools_json = "{}"}).find("tools must be a JSON list"), std::string::npos);
  EXPECT_NE(refusal({.documents_json = "["}).find("documents: "), std::string::npos);
  EXPECT_NE(refusal({.keywords_json = R"({"tools": 1})"}).find("'tools' has a field of its own"),
            std::string::npos);
  EXPECT_NE(refusal({.messages = {{"user", "x"}, {"user", "", "7"}}}).find("message 2 must be"),
            std::string::npos);
  const std::string deep(300, '[');
  EXPECT_NE(refusal({.tools_json = deep}).find("nested deeper"), std::string::npos);
}

const std::filesystem::path kConformance =
    std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/conformance/chat_templates";

TEST(ChatTemplateConformance, RealTemplatesPrintTextAndParts) {
  if (!std::filesystem::exists(kConformance)) {
    GTEST_SKIP() << "no conformance data: " << kConformance << " is missing";
  }
  for (const auto& entry : std::filesystem::directory_iterator(kConformance)) {
    if (entry.path().extension() != ".jinja") continue;
    const ChatTemplate chat_template(read_file(entry.path()));
    const TokenTexts tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
    const auto prompt = [&](const ChatMessage& message) {
      ChatRequest request{.messages = {message}, .now = fixed_now()};
      if (entry.path().stem().string().ends_with("tool_use")) {
        request.tools_json =
            R"([{"type": "function", "function": {"name": "f", "description": "d",
                 "parameters": {"type": "object", "properties": {}}}}])";
      }
      return joined(chat_template.render(request, tokens));
    };
    const std::string text = prompt({"user", "needle"});
    EXPECT_NE(text.find("needle"), std::string::npos) << entry.path();
    EXPECT_EQ(prompt({"user", "", R"({"content": [{"type": "text", "text": "needle"}]})"}), text)
        << entry.path();
  }
}

TEST(ChatTemplateConformance, RendersRealTemplatesAsJinja2Does) {
  const std::filesystem::path& folder = kConformance;
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
