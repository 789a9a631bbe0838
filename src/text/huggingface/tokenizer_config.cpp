#include "text/huggingface/tokenizer_config.h"

#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

namespace {

/// A token is its content, or an object that has it.
void read_content(const Field& file, std::string_view name, std::string& content) {
  const auto token = file.find(name);
  if (!token) return;
  content = token->kind() == JsonKind::object ? token->at("content").text() : token->text();
}

void read_contents(const Field& file, TokenizerConfig& config) {
  read_content(file, "bos_token", config.bos);
  read_content(file, "eos_token", config.eos);
  read_content(file, "unk_token", config.unknown);
  read_content(file, "pad_token", config.padding);
}

/// One template, or a list of named ones.
void read_templates(const Field& field, TokenizerConfig& config) {
  if (field.kind() == JsonKind::string) {
    config.chat_template = field.text();
    return;
  }
  for (const Field entry : field.items()) {
    const std::string_view name = entry.at("name").text();
    std::string source(entry.at("template").text());
    if (name == "default")
      config.chat_template = std::move(source);
    else
      config.chat_templates.push_back({std::string(name), std::move(source)});
  }
}

}  // namespace

TokenizerConfig read_tokenizer_config(std::string_view tokenizer_config_json,
                                      std::string_view special_tokens_map_json) {
  TokenizerConfig config;
  if (!special_tokens_map_json.empty()) {
    const JsonDocument document(special_tokens_map_json, "special_tokens_map.json");
    read_contents(document.root(), config);
  }
  if (tokenizer_config_json.empty()) return config;
  const JsonDocument document(tokenizer_config_json, "tokenizer_config.json");
  const Field root = document.root();
  read_contents(root, config);
  if (const auto add = root.find("add_bos_token")) config.add_bos = add->boolean();
  if (const auto add = root.find("add_eos_token")) config.add_eos = add->boolean();
  if (const auto templates = root.find("chat_template")) read_templates(*templates, config);
  return config;
}

}  // namespace cairn::text::huggingface
