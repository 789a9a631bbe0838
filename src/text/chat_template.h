#pragma once
// Renders a conversation to the prompt that the model was trained on: the model's own Jinja
// template with transformers' environment. Parsed once; render() is const and thread-safe.

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant", ...
  std::string content;
};

/// A part of a prompt: only the template's own may match special tokens, so that nobody can write
/// a control token into a conversation. Ordinary text across a border is tokenized as one string.
struct PromptPiece {
  std::string text;
  bool is_template = false;
};

struct ChatTemplateOptions {
  std::string bos_token;  // text of the tokens, as templates use them
  std::string eos_token;
  bool add_generation_prompt = true;
};

class ChatTemplate {
 public:
  /// Throws invalid_argument with line and column where the template is wrong.
  explicit ChatTemplate(std::string_view source);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  /// Throws invalid_argument where the template refuses the conversation (raise_exception) or
  /// fails.
  std::string render(const std::vector<ChatMessage>& messages,
                     const ChatTemplateOptions& options) const;
  /// The whole context as a JSON object: messages, tools, and any other keyword. `now` is what the
  /// template's strftime_now sees; the local time where it is not given.
  std::string render_json(std::string_view context_json, std::optional<std::tm> now = {}) const;
  /// The same as pieces, neighbours of one kind joined.
  std::vector<PromptPiece> render_pieces(const std::vector<ChatMessage>& messages,
                                         const ChatTemplateOptions& options) const;
  std::vector<PromptPiece> render_json_pieces(std::string_view context_json,
                                              std::optional<std::tm> now = {}) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace cairn::text
