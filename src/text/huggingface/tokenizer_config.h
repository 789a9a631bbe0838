#pragma once
// What tokenizer_config.json and special_tokens_map.json say beyond tokenizer.json.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace cairn::text::huggingface {

struct TokenizerConfig {
  // Contents of tokens; empty: not told.
  std::string bos;
  std::string eos;
  std::string unknown;
  std::string padding;
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
  std::string chat_template;
  std::vector<NamedTemplate> chat_templates;
};

/// Either may be empty. Throws corrupt with file and path.
TokenizerConfig read_tokenizer_config(std::string_view tokenizer_config_json,
                                      std::string_view special_tokens_map_json);

}  // namespace cairn::text::huggingface
