#include "engine/chat_template_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "engine/test_folder.h"
#include "engine/test_memory_checkpoint.h"

namespace cairn::engine {
namespace {

using Named = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

Named names_of(const text::ChatSources& sources) {
  Named named;
  for (const text::NamedTemplate& entry : sources.templates) named[entry.name] = entry.source;
  EXPECT_EQ(named.size(), sources.templates.size());
  return named;
}

Named tokens_of(const text::ChatSources& sources) {
  return {sources.tokens.begin(), sources.tokens.end()};
}

TEST(ChatTemplateLoader, TakesEveryTemplateOfGguf) {
  MemoryCheckpoint checkpoint;
  checkpoint.set("chat_template", std::string("d"));
  checkpoint.set("chat_template.tool_use", std::string("t"));
  checkpoint.set("chat_template.rag", std::string("r"));
  checkpoint.set("chat_templates", Texts{"tool_use", "rag"});
  checkpoint.set("ggml.tokens", Texts{"<s>", "</s>", "a"});
  checkpoint.set("ggml.bos_token_id", std::uint64_t{0});
  checkpoint.set("ggml.eos_token_id", std::uint64_t{1});
  checkpoint.set("ggml.padding_token_id", std::uint64_t{0xFFFFFFFF});
  const text::ChatSources sources = load_chat_sources(checkpoint);
  EXPECT_EQ(names_of(sources), (Named{{"default", "d"}, {"tool_use", "t"}, {"rag", "r"}}));
  EXPECT_EQ(tokens_of(sources), (Named{{"bos_token", "<s>"}, {"eos_token", "</s>"}}));
  EXPECT_TRUE(load_chat_sources(MemoryCheckpoint()).templates.empty());
}

class ChatTemplateFolder : public FolderTest {};

TEST_F(ChatTemplateFolder, TakesEveryFileOfHuggingFace) {
  const auto config = write("tokenizer_config.json",
                            R"({"bos_token": {"content": "<s>"}, "pad_token": null,
                                "chat_template": [{"name": "default", "template": "d"},
                                                  {"name": "tool_use", "template": "t"}]})");
  write("special_tokens_map.json", R"({"bos_token": "other", "eos_token": "</s>"})");
  for (const auto& path : {folder_, config}) {
    const text::ChatSources sources = load_chat_sources(path);
    EXPECT_EQ(names_of(sources), (Named{{"default", "d"}, {"tool_use", "t"}}));
    EXPECT_EQ(tokens_of(sources), (Named{{"bos_token", "<s>"}, {"eos_token", "</s>"}}));
  }
  write("chat_template.json", R"({"chat_template": "processor's"})");
  EXPECT_EQ(names_of(load_chat_sources(folder_))["default"], "processor's");
  const auto file = write("chat_template.jinja", "file's");
  write("additional_chat_templates/rag.jinja", "r");
  EXPECT_EQ(names_of(load_chat_sources(folder_)),
            (Named{{"default", "file's"}, {"tool_use", "t"}, {"rag", "r"}}));
  EXPECT_EQ(names_of(load_chat_sources(file)), (Named{{"default", "file's"}}));
  EXPECT_TRUE(load_chat_sources(file).tokens.empty());
}

TEST_F(ChatTemplateFolder, AChoiceIsTheOnlyTemplate) {
  const text::ChatSources own{.templates = {{"default", "d"}, {"chatml", "own"}}, .tokens = {}};
  const auto chosen = [&](const std::string& choice) {
    text::ChatSources sources = own;
    choose_chat_template(sources, choice);
    return names_of(sources);
  };
  EXPECT_EQ(chosen("chatml"), (Named{{"default", "own"}}));
  EXPECT_THAT(chosen("llama3")["default"], testing::HasSubstr("start_header_id"));
  EXPECT_EQ(chosen(write("f.jinja", "f").string()), (Named{{"default", "f"}}));
  try {
    chosen("cats");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    for (const char* part : {"cats", "default, chatml", "mistral"})
      EXPECT_THAT(error.message(), testing::HasSubstr(part));
  }
}

TEST_F(ChatTemplateFolder, WrongFilesAreNamed) {
  EXPECT_THROW(load_chat_sources(folder_ / "absent.jinja"), Error);
  write("tokenizer_config.json", "{");
  try {
    load_chat_sources(folder_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    EXPECT_THAT(error.message(), testing::HasSubstr("tokenizer_config.json"));
  }
}

}  // namespace
}  // namespace cairn::engine
