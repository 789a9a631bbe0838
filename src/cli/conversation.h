#pragma once
// The turns of a chat, as the model will see them.

#include <string>
#include <vector>

#include "engine/loaded_model.h"
#include "text/chat_request.h"

namespace cairn::cli {

class Conversation {
 public:
  /// `loaded` must outlive this; `keywords_json` goes to the template (ChatRequest). Throws
  /// invalid_argument if the model has no chat template.
  Conversation(const engine::LoadedModel& loaded, std::string keywords_json);

  void set_system(std::string content);
  void add_user(std::string content) { turns_.push_back({"user", std::move(content)}); }
  void add_assistant(std::string content) { turns_.push_back({"assistant", std::move(content)}); }
  /// Takes back a question that got no answer.
  void drop_last() { turns_.pop_back(); }
  void clear() { turns_.clear(); }
  std::size_t turn_count() const { return turns_.size(); }

  /// The prompt of the next answer. Drops the oldest question and answer while more than
  /// `token_limit` tokens are left, and says how many turns went. Throws invalid_argument if the
  /// last question alone is too long.
  std::vector<TokenId> fit(std::size_t token_limit, std::size_t& dropped_turns);

  /// A JSON list of {role, content}. Throw io, not_found or corrupt, naming the file.
  void save(const std::string& path) const;
  void restore(const std::string& path);

 private:
  std::vector<text::ChatMessage> messages() const;
  std::vector<TokenId> render() const;

  const engine::LoadedModel& loaded_;
  std::string keywords_json_;
  std::string system_;
  std::vector<text::ChatMessage> turns_;
};

}  // namespace cairn::cli
