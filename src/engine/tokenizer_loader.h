#pragma once
// A tokenizer from whatever a model's makers ship:
//   GGUF                  tokenizer.ggml.* (a file with nothing but a vocabulary is enough)
//   Hugging Face folder   tokenizer.json, else tokenizer.model; beside it tokenizer_config.json and
//                         special_tokens_map.json
//   tokenizer.json, tokenizer.model   alone, with the files beside them where they are there

#include <filesystem>
#include <memory>
#include <string>

#include "checkpoint/checkpoint.h"
#include "text/tokenizer.h"

namespace cairn::engine {

/// `pre_tokenizer` replaces the one that a GGUF file names; empty: the file's. Throws not_found,
/// corrupt, unsupported or io, or invalid_argument for a pre-tokenizer where there is no GGUF.
std::unique_ptr<text::Tokenizer> load_tokenizer(const std::filesystem::path& path,
                                                const std::string& pre_tokenizer = {});
std::unique_ptr<text::Tokenizer> load_tokenizer(const checkpoint::Checkpoint& checkpoint,
                                                const std::string& pre_tokenizer = {});

}  // namespace cairn::engine
