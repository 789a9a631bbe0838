#include "text/chat_context.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "text/jinja/dict.h"
#include "text/jinja/failure.h"
#include "text/jinja/json.h"

namespace cairn::text {
namespace {

using jinja::DictBuilder;
using jinja::Origin;
using jinja::Text;
using jinja::Value;

/// Any other role is content, so that none can forge a token.
bool is_known_role(std::string_view role) {
  static constexpr std::array<std::string_view, 13> kRoles = {
      "system",  "user",        "assistant",   "tool",          "developer", "function", "model",
      "ipython", "environment", "observation", "tool_response", "context",   "documents"};
  return std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

Origin origin_of_role(std::string_view role) {
  return is_known_role(role) ? Origin::template_source : Origin::content;
}

Origin origin_in_context(const std::vector<std::string>& path, std::string_view string) {
  if (path.size() == 1 && path[0].ends_with("_token")) return Origin::template_source;
  const bool is_role = path.size() == 2 && path[0] == "messages" && path[1] == "role";
  return is_role ? origin_of_role(string) : Origin::content;
}

Origin origin_in_message(const std::vector<std::string>& path, std::string_view string) {
  return path.size() == 1 && path[0] == "role" ? origin_of_role(string) : Origin::content;
}

/// `what` names the document in messages.
Value parse(std::string_view json, const std::string& what, const jinja::OriginOf& origin_of) {
  try {
    return jinja::parse_json(json, origin_of);
  } catch (const jinja::Failure& failure) {
    fail(ErrorKind::invalid_argument, "{}: {}", what, failure.message());
  }
}

Value parse_object(std::string_view json, const std::string& what,
                   const jinja::OriginOf& origin_of) {
  Value value = parse(json, what, origin_of);
  if (!value.dict()) {
    fail(ErrorKind::invalid_argument, "{} must be a JSON object, found {}", what,
         value.type_name());
  }
  return value;
}

/// None where there are none: templates ask `tools is not none`.
Value parse_list(std::string_view json, const std::string& what) {
  if (json.empty()) return jinja::None{};
  Value value = parse(json, what, nullptr);
  if (!value.is_list()) {
    fail(ErrorKind::invalid_argument, "{} must be a JSON list, found {}", what, value.type_name());
  }
  return value.sequence()->items.empty() ? Value(jinja::None{}) : value;
}

Value with_entry(const jinja::Dict& dict, std::string_view key, Value value) {
  DictBuilder builder;
  for (const auto& [name, old] : dict.entries()) builder.set(name, old);
  builder.set_own(key, std::move(value));
  return builder.finish();
}

Value text_part(const Value& text) {
  DictBuilder part;
  part.set_own("type", Value::own("text"));
  part.set_own("text", text);
  return part.finish();
}

/// Null where the part is no text.
const Text* text_of_part(const Value& part) {
  if (part.text()) return part.text();
  const Value* text = part.dict() ? part.dict()->find(std::string_view("text")) : nullptr;
  return text ? text->text() : nullptr;
}

// ---- One message ------------------------------------------------------------------------------

class MessageBuilder {
 public:
  MessageBuilder(std::size_t index, ContentForms forms) : index_(index), forms_(forms) {}

  Value build(const ChatMessage& message, bool is_continued) const {
    DictBuilder dict;
    dict.set_own("role", Text(message.role, origin_of_role(message.role)));
    dict.set_own("content", Text(message.content, Origin::content));
    if (!message.fields_json.empty()) {
      const Value fields = parse_object(message.fields_json, name(), origin_in_message);
      for (const auto& [key, value] : fields.dict()->entries()) dict.set(key, value);
    }
    const std::shared_ptr<const jinja::Dict> all = dict.finish();
    const Value* content = all->find(std::string_view("content"));
    const Value adapted = adapt(is_continued ? marked(*content) : *content);
    return adapted.same_as(*content) ? Value(all) : with_entry(*all, "content", adapted);
  }

 private:
  std::string name() const { return fmt::format("message {}", index_ + 1); }

  Value adapt(const Value& content) const {
    if (content.text() && !forms_.text) return Value::list({text_part(content)});
    if (content.is_list() && !forms_.parts) return joined(content.sequence()->items);
    return content;
  }

  Value joined(const std::vector<Value>& parts) const {
    jinja::TextBuilder builder;
    for (const Value& part : parts) {
      const Text* text = text_of_part(part);
      if (!text) {
        fail(ErrorKind::invalid_argument,
             "{}: a part of its content is no text, and this model's chat template takes only text",
             name());
      }
      if (builder.size() > 0) builder.append("\n", Origin::content);
      builder.append(*text);
    }
    return builder.finish();
  }

  /// The content with the mark of continuation behind its last text.
  Value marked(const Value& content) const {
    const auto with_mark = [](const Text& text) {
      jinja::TextBuilder builder;
      builder.append(text);
      builder.append(kContinuationMark, Origin::content);
      return builder.finish();
    };
    if (content.text()) return with_mark(*content.text());
    if (content.is_list()) {
      std::vector<Value> parts = content.sequence()->items;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        const Text* text = part->dict() ? text_of_part(*part) : nullptr;
        if (!text) continue;
        *part = with_entry(*part->dict(), "text", with_mark(*text));
        return Value::list(std::move(parts));
      }
    }
    fail(ErrorKind::invalid_argument, "{}: it has no text that could be continued", name());
  }

  std::size_t index_;
  ContentForms forms_;
};

Value messages_value(const ChatRequest& request, ContentForms forms) {
  std::vector<Value> values;
  values.reserve(request.messages.size());
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const bool is_continued = request.continue_final_message && i + 1 == request.messages.size();
    values.push_back(MessageBuilder(i, forms).build(request.messages[i], is_continued));
  }
  return Value::list(std::move(values));
}

void add_keywords(const ChatRequest& request, DictBuilder& context) {
  if (request.keywords_json.empty()) return;
  const Value keywords =
      parse_object(request.keywords_json, "the template's keywords", origin_in_context);
  for (const auto& [key, value] : keywords.dict()->entries()) {
    for (const std::string_view taken :
         {"messages", "tools", "documents", "add_generation_prompt", "continue_final_message"}) {
      if (key.text() && key.text()->bytes() == taken) {
        fail(ErrorKind::invalid_argument, "the template's keywords: '{}' has a field of its own",
             taken);
      }
    }
    context.set(key, value);
  }
}

/// Values refuse what is nested too deep.
template <class Build>
Value guarded(Build build) {
  try {
    return build();
  } catch (const jinja::Failure& failure) {
    fail(ErrorKind::invalid_argument, "the context of a chat template: {}", failure.message());
  }
}

Value context_of(std::string_view context_json, const TokenTexts& tokens) {
  const Value given =
      parse_object(context_json, "the context of a chat template", origin_in_context);
  DictBuilder context;
  context.set_own("tools", jinja::None{});
  context.set_own("documents", jinja::None{});
  context.set_own("add_generation_prompt", false);
  for (const auto& [name, text] : tokens) context.set_own(name, Value::own(text));
  for (const auto& [name, value] : given.dict()->entries()) context.set(name, value);
  return context.finish();
}

Value context_of(const ChatRequest& request, const TokenTexts& tokens, ContentForms forms) {
  DictBuilder context;
  for (const auto& [name, text] : tokens) context.set_own(name, Value::own(text));
  add_keywords(request, context);
  context.set_own("messages", messages_value(request, forms));
  context.set_own("tools", parse_list(request.tools_json, "tools"));
  context.set_own("documents", parse_list(request.documents_json, "documents"));
  context.set_own("add_generation_prompt", request.add_generation_prompt);
  if (request.enable_thinking) context.set_own("enable_thinking", *request.enable_thinking);
  return context.finish();
}

}  // namespace

Value chat_context(std::string_view context_json, const TokenTexts& tokens) {
  return guarded([&] { return context_of(context_json, tokens); });
}

Value chat_context(const ChatRequest& request, const TokenTexts& tokens, ContentForms forms) {
  return guarded([&] { return context_of(request, tokens, forms); });
}

bool has_tools(const Value& context) {
  const Value* tools = context.dict() ? context.dict()->find(std::string_view("tools")) : nullptr;
  return tools && jinja::truth(*tools);
}

}  // namespace cairn::text
