#pragma once
// How one model is talked to: its templates, the texts of its special tokens, and the way from a
// conversation to the tokens of a prompt. Immutable, thread-safe.

#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/chat_request.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace cairn::text {

/// What a model's files say about chat.
struct ChatSources {
  std::vector<NamedTemplate> templates;  // "default", "tool_use", ...; empty: none
  TokenTexts tokens;
};

class ChatFormat {
 public:
  /// A template that cannot be parsed is an error only where it is chosen. REQUIRES: there is a
  /// template.
  explicit ChatFormat(const ChatSources& sources);

  /// The template called `name`; without a name "tool_use" where there are tools and a template of
  /// that name, else "default", else the only one. Throws invalid_argument where there is none or
  /// it cannot be parsed.
  const ChatTemplate& choose(std::string_view name, bool has_tools) const;

  /// Throw invalid_argument where the request or the template is wrong, or the template refuses
  /// the conversation.
  std::vector<PromptPiece> render(const ChatRequest& request) const;
  /// As render(), then to tokens. Only what the template wrote can be a control token; the
  /// template writes BOS itself where the model wants it.
  std::vector<TokenId> encode(const ChatRequest& request, const Tokenizer& tokenizer) const;

  /// A whole context as a JSON object; it may name special tokens itself.
  std::vector<PromptPiece> render_json(std::string_view context_json, std::string_view name,
                                       std::optional<std::tm> now) const;

 private:
  struct Entry {
    std::string name;
    std::optional<ChatTemplate> parsed;
    std::optional<Error> error;  // why it could not be parsed
  };

  const Entry* find(std::string_view name) const;
  [[noreturn]] void fail_unknown(std::string_view name) const;

  std::vector<Entry> entries_;
  TokenTexts tokens_;
};

}  // namespace cairn::text
