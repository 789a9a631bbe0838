#pragma once
// Renders a conversation to the prompt that the model was trained on: the model's own Jinja
// template with transformers' environment. Parsed once; rendering is const and thread-safe.

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat_request.h"
#include "text/prompt_piece.h"

namespace cairn::text {

namespace jinja {
class Value;
}

class ChatTemplate {
 public:
  /// Throws invalid_argument with line and column where the template is wrong.
  explicit ChatTemplate(std::string_view source);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  /// The prompt as pieces, neighbours of one kind joined. A message's content comes to the template
  /// in a form that it prints: as a string, or as a list of parts. Throws invalid_argument where
  /// the request contradicts itself, or the template refuses it (raise_exception) or fails.
  std::vector<PromptPiece> render(const ChatRequest& request, const TokenTexts& tokens) const;

  /// A whole context, passed on as it is (chat_context.h makes one). `now` is what the template's
  /// strftime_now sees; the local time where it is not given. Throws as render().
  std::vector<PromptPiece> render_context(const jinja::Value& context,
                                          std::optional<std::tm> now = {}) const;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
};

/// The prompt as one string.
std::string joined(const std::vector<PromptPiece>& pieces);

}  // namespace cairn::text
