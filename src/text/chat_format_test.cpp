#include "text/chat_format.h"

#include <gtest/gtest.h>

#include <functional>

namespace cairn::text {
namespace {

const ChatSources kSources = {.templates = {{"default", "plain {{ bos_token }}"},
                                            {"tool_use", "tools {{ tools|length }}"},
                                            {"rag", "{% broken"}},
                              .tokens = {{"bos_token", "<s>"}}};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    return error.message();
  }
  return "no error";
}

TEST(ChatFormat, ToolsChooseTheirTemplate) {
  const ChatFormat format(kSources);
  EXPECT_EQ(joined(format.render({})), "plain <s>");
  EXPECT_EQ(joined(format.render({.tools_json = "[]"})), "plain <s>");
  EXPECT_EQ(joined(format.render({.tools_json = "[{}]"})), "tools 1");
  EXPECT_EQ(joined(format.render({.tools_json = "[{}]", .template_name = "default"})), "plain <s>");
  EXPECT_EQ(joined(format.render_json(R"({"tools": [1, 2]})", "", {})), "tools 2");
  EXPECT_EQ(joined(format.render_json(R"({"bos_token": "^"})", "", {})), "plain ^");
}

TEST(ChatFormat, OnlyTheChosenTemplateMustBeRight) {
  const ChatFormat format(kSources);
  EXPECT_NE(message_of([&] { format.choose("rag", false); }).find("line 1"), std::string::npos);
  EXPECT_EQ(message_of([&] { format.choose("cats", false); }),
            "no chat template 'cats': the model has default, tool_use, rag; name one of them");
}

TEST(ChatFormat, TheOnlyTemplateNeedsNoName) {
  EXPECT_EQ(joined(ChatFormat({.templates = {{"rag", "r"}}, .tokens = {}}).render({})), "r");
  const ChatFormat two({.templates = {{"a", ""}, {"b", ""}}, .tokens = {}});
  EXPECT_NE(message_of([&] { two.choose("", false); }).find("'default'"), std::string::npos);
}

}  // namespace
}  // namespace cairn::text
