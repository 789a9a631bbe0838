#include "text/builtin_templates.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.h"
#include "text/chat_format.h"

namespace cairn::text {
namespace {

ChatFormat builtin(std::string_view name) {
  for (const BuiltinTemplate& candidate : builtin_templates()) {
    if (candidate.name != name) continue;
    return ChatFormat({.templates = {{"default", std::string(candidate.source)}},
                       .tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}}});
  }
  ADD_FAILURE() << "no builtin template " << name;
  return ChatFormat({.templates = {{"default", ""}}, .tokens = {}});
}

const ChatRequest kTurns = {
    .messages = {
        {"system", "Be brief."}, {"user", " Hi "}, {"assistant", " Hello. "}, {"user", "2+2?"}}};
const ChatRequest kClosed = {.messages = {{"user", "Hi"}, {"assistant", "Hello."}},
                             .add_generation_prompt = false};
const ChatRequest kTwoUsers = {.messages = {{"user", "a"}, {"user", "b"}}};

struct Golden {
  const char* turns;
  const char* closed;
};

// Rendered by Python's Jinja2 3.1.6, set up as transformers does it, from the same sources.
const std::map<std::string, Golden> kGoldens = {
    {"chatml",
     {"<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n"
      "<|im_start|>assistant\n Hello. <|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n"
      "<|im_start|>assistant\n",
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n"}},
    {"llama2",
     {"<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello. </s><s>[INST] 2+2? [/INST]",
      "<s>[INST] Hi [/INST] Hello. </s>"}},
    {"llama3",
     {"<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
      "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
      "<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>"
      "<|start_header_id|>user<|end_header_id|>\n\n2+2?<|eot_id|>"
      "<|start_header_id|>assistant<|end_header_id|>\n\n",
      "<s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
      "<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>"}},
    {"gemma",
     {"<s><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello."
      "<end_of_turn>\n<start_of_turn>user\n2+2?<end_of_turn>\n<start_of_turn>model\n",
      "<s><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello.<end_of_turn>\n"}},
    {"mistral",
     {"<s>[INST] Be brief.\n\n Hi [/INST] Hello.</s>[INST] 2+2?[/INST]",
      "<s>[INST] Hi[/INST] Hello.</s>"}},
    {"phi3",
     {"<|system|>\nBe brief.<|end|>\n<|user|>\n Hi <|end|>\n<|assistant|>\n Hello. <|end|>\n"
      "<|user|>\n2+2?<|end|>\n<|assistant|>\n",
      "<|user|>\nHi<|end|>\n<|assistant|>\nHello.<|end|>\n"}},
    {"deepseek",
     {"<s>Be brief.<｜User｜> Hi <｜Assistant｜> Hello. </s><｜User｜>2+2?<｜Assistant｜>",
      "<s><｜User｜>Hi<｜Assistant｜>Hello.</s>"}},
};

TEST(BuiltinTemplates, RenderAsJinja2Does) {
  EXPECT_EQ(builtin_templates().size(), kGoldens.size());
  for (const auto& [name, golden] : kGoldens) {
    const ChatFormat format = builtin(name);
    EXPECT_EQ(joined(format.render(kTurns)), golden.turns) << name;
    EXPECT_EQ(joined(format.render(kClosed)), golden.closed) << name;
  }
}

TEST(BuiltinTemplates, SomeFormatsKnowOnlyTurnsInTurn) {
  for (const char* name : {"llama2", "gemma", "mistral"}) {
    EXPECT_THROW(builtin(name).render(kTwoUsers), Error) << name;
  }
  for (const char* name : {"chatml", "llama3", "phi3", "deepseek"}) {
    EXPECT_NO_THROW(builtin(name).render(kTwoUsers)) << name;
  }
}

TEST(BuiltinTemplates, OnlyTheirOwnTextIsTheTemplates) {
  for (const auto& [name, golden] : kGoldens) {
    std::string content;
    for (const PromptPiece& piece : builtin(name).render(kClosed)) {
      if (!piece.is_template) content += piece.text + "|";
    }
    EXPECT_EQ(content, "Hi|Hello.|") << name;
  }
}

TEST(BuiltinTemplates, TakePartsAndGoOnWithAnAnswer) {
  for (const auto& [name, golden] : kGoldens) {
    const ChatFormat format = builtin(name);
    ChatRequest request = kClosed;
    request.messages.front().fields_json = R"({"content": [{"type": "text", "text": "Hi"}]})";
    EXPECT_EQ(joined(format.render(request)), golden.closed) << name;
    request.continue_final_message = true;
    EXPECT_TRUE(joined(format.render(request)).ends_with("Hello.")) << name;
  }
}

}  // namespace
}  // namespace cairn::text
