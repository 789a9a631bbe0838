#pragma once
// A conversation and how it is to be rendered, as chat APIs carry them. Fields in JSON are passed
// on to the template as they are, so that whatever a client sends reaches it. Plain data.

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cairn::text {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant", "tool", ...
  std::string content;
  /// Further fields as a JSON object, or empty: tool_calls, reasoning_content, content as a list
  /// of parts. They win over `role` and `content`, so that a whole message may stand here.
  std::string fields_json = {};
};

struct ChatRequest {
  std::vector<ChatMessage> messages = {};
  std::string tools_json = {};      // a list, or empty
  std::string documents_json = {};  // a list, or empty
  /// The header of an answer follows the last message.
  bool add_generation_prompt = true;
  /// The prompt ends within the last message, so that the model goes on with it. REQUIRES:
  /// add_generation_prompt is false.
  bool continue_final_message = false;
  std::optional<bool> enable_thinking = {};
  /// Any other keyword of the template as a JSON object, or empty: {"reasoning_effort": "low"}.
  std::string keywords_json = {};
  /// One of the model's templates by name; empty: "tool_use" where there are tools and a template
  /// of that name, else "default".
  std::string template_name = {};
  std::optional<std::tm> now = {};  // what the template takes for the time; else the local time
};

/// The texts of a model's special tokens under the names that templates use: {"bos_token", "<s>"}.
using TokenTexts = std::vector<std::pair<std::string, std::string>>;

}  // namespace cairn::text
