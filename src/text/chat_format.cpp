#include "text/chat_format.h"

#include <fmt/ranges.h>

#include "base/check.h"
#include "text/chat_context.h"

namespace cairn::text {

ChatFormat::ChatFormat(const ChatSources& sources) : tokens_(sources.tokens) {
  CHECK(!sources.templates.empty(), "no chat template");
  for (const NamedTemplate& named : sources.templates) {
    Entry& entry = entries_.emplace_back();
    entry.name = named.name;
    try {
      entry.parsed.emplace(named.source);
    } catch (const Error& error) {
      entry.error = error;
    }
  }
}

const ChatFormat::Entry* ChatFormat::find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

void ChatFormat::fail_unknown(std::string_view name) const {
  std::vector<std::string_view> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) names.push_back(entry.name);
  fail(ErrorKind::invalid_argument, "no chat template '{}': the model has {}; name one of them",
       name, fmt::join(names, ", "));
}

const ChatTemplate& ChatFormat::choose(std::string_view name, bool has_tools) const {
  const Entry* entry = nullptr;
  if (!name.empty()) {
    entry = find(name);
  } else {
    if (has_tools) entry = find("tool_use");
    if (entry == nullptr) entry = find("default");
    if (entry == nullptr && entries_.size() == 1) entry = &entries_.front();
  }
  if (entry == nullptr) fail_unknown(name.empty() ? "default" : name);
  if (entry->error) throw Error(*entry->error);
  return *entry->parsed;
}

std::vector<PromptPiece> ChatFormat::render(const ChatRequest& request) const {
  const bool has_tools = !request.tools_json.empty() && request.tools_json != "[]";
  return choose(request.template_name, has_tools).render(request, tokens_);
}

std::vector<TokenId> ChatFormat::encode(const ChatRequest& request,
                                        const Tokenizer& tokenizer) const {
  return tokenizer.encode_pieces(render(request), /*add_special=*/false);
}

std::vector<PromptPiece> ChatFormat::render_json(std::string_view context_json,
                                                 std::string_view name,
                                                 std::optional<std::tm> now) const {
  const jinja::Value context = chat_context(context_json, tokens_);
  return choose(name, has_tools(context)).render_context(context, now);
}

}  // namespace cairn::text
