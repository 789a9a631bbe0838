#pragma once
// Hugging Face's tokenizer.json: the whole schema of the `tokenizers` library, but for what is
// refused by name. Ids, offsets and decoded text equal the library's; a token that was made of part
// of a character has the whole character as its offsets. The blocks `truncation` and `padding` are
// not read: a text is encoded whole.

#include <memory>
#include <string_view>

#include "text/tokenizer.h"

namespace cairn::text::huggingface {

/// The contents of tokenizer.json and, possibly empty, of tokenizer_config.json and
/// special_tokens_map.json beside it: which tokens begin and end a text, and the chat templates.
/// BOS and EOS are added as the post-processor says; where it adds nothing, as the configuration
/// says. Throws corrupt or unsupported with the file and the path within it.
std::unique_ptr<Tokenizer> read_tokenizer(std::string_view tokenizer_json,
                                          std::string_view tokenizer_config_json,
                                          std::string_view special_tokens_map_json);

}  // namespace cairn::text::huggingface
