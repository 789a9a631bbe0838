#include "cli/conversation.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/prompt_source.h"

namespace cairn::cli {

Conversation::Conversation(const engine::LoadedModel& loaded, std::string keywords_json)
    : loaded_(loaded), keywords_json_(std::move(keywords_json)) {
  loaded.require_chat_format();
}

void Conversation::set_system(std::string content) {
  system_ = std::move(content);
}

std::vector<text::ChatMessage> Conversation::messages() const {
  std::vector<text::ChatMessage> all;
  if (!system_.empty()) all.push_back({"system", system_});
  all.insert(all.end(), turns_.begin(), turns_.end());
  return all;
}

std::vector<TokenId> Conversation::render() const {
  return loaded_.require_chat_format().encode(
      {.messages = messages(), .keywords_json = keywords_json_}, loaded_.tokenizer());
}

std::vector<TokenId> Conversation::fit(std::size_t token_limit, std::size_t& dropped_turns) {
  dropped_turns = 0;
  std::vector<TokenId> tokens = render();
  while (tokens.size() > token_limit) {
    if (turns_.size() < 3) {
      fail(ErrorKind::invalid_argument,
           "the message takes {} tokens and the context leaves {}; shorten it, or start with a "
           "larger --context",
           tokens.size(), token_limit);
    }
    turns_.erase(turns_.begin(), turns_.begin() + 2);
    dropped_turns += 2;
    tokens = render();
  }
  return tokens;
}

void Conversation::save(const std::string& path) const {
  auto list = nlohmann::ordered_json::array();
  for (const text::ChatMessage& message : messages()) {
    list.push_back({{"role", message.role}, {"content", message.content}});
  }
  std::ofstream file(path);
  file << list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) fail(ErrorKind::io, "{}: cannot write the transcript", path);
}

void Conversation::restore(const std::string& path) {
  const auto list = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  std::vector<text::ChatMessage> messages;
  for (const auto& item : list) {
    const bool is_message = item.is_object() && item.contains("role") && item["role"].is_string() &&
                            item.contains("content") && item["content"].is_string();
    if (!is_message) {
      fail(ErrorKind::corrupt, "{}: entry {} is no message with 'role' and 'content'", path,
           messages.size() + 1);
    }
    messages.push_back({item["role"].get<std::string>(), item["content"].get<std::string>()});
  }
  if (!list.is_array()) {
    fail(ErrorKind::corrupt, "{}: not a JSON list of messages, as /save writes it", path);
  }
  system_.clear();
  if (!messages.empty() && messages.front().role == "system") {
    system_ = messages.front().content;
    messages.erase(messages.begin());
  }
  turns_ = std::move(messages);
}

}  // namespace cairn::cli
