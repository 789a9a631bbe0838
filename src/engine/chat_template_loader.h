#pragma once
// The chat templates that a model's files bring, wherever they stand:
//   GGUF          tokenizer.chat_template, tokenizer.chat_template.NAME, ids of special tokens
//   Hugging Face  chat_template.jinja, additional_chat_templates/NAME.jinja, chat_template.json,
//                 tokenizer_config.json (a template, or a list of named ones; special tokens),
//                 special_tokens_map.json

#include <filesystem>
#include <string>

#include "checkpoint/checkpoint.h"
#include "text/chat_format.h"

namespace cairn::engine {

/// Of a GGUF file, a folder, any file of a Hugging Face folder, or a .jinja file alone. No template
/// is no error here. Throws not_found, corrupt, unsupported or io.
text::ChatSources load_chat_sources(const std::filesystem::path& path);
text::ChatSources load_chat_sources(const checkpoint::Checkpoint& checkpoint);

/// Makes `choice` the only template: the name of one of the model's own, of a builtin one, or a
/// file. Throws invalid_argument that lists the names, or what reading the file throws.
void choose_chat_template(text::ChatSources& sources, const std::string& choice);

/// "chatml, llama2, ...": for messages and help.
std::string builtin_template_names();

}  // namespace cairn::engine
