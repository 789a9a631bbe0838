#include "text/chat_template.h"

#include "base/error.h"
#include "text/jinja/dict.h"
#include "text/jinja/json.h"
#include "text/jinja/template.h"

namespace cairn::text {
namespace {

using jinja::Origin;
using jinja::Text;

/// The roles that templates put into their own tokens ('<|' + role + '|>'). Any other role is
/// content, so that none can forge a token.
bool is_known_role(std::string_view role) {
  for (const std::string_view known :
       {"system", "user", "assistant", "tool", "developer", "function", "model", "ipython",
        "environment", "observation", "tool_response", "context", "documents"}) {
    if (role == known) return true;
  }
  return false;
}

/// Everything in a context is content but the model's own tokens and well-known roles.
Origin origin_of(const std::vector<std::string>& path, std::string_view string) {
  const bool is_token = path.size() == 1 && path.back().ends_with("_token");
  const bool is_role =
      path.size() == 2 && path[0] == "messages" && path[1] == "role" && is_known_role(string);
  return is_token || is_role ? Origin::template_source : Origin::content;
}

jinja::Value parse_context(std::string_view json) {
  try {
    return jinja::parse_json(json, origin_of);
  } catch (const jinja::Failure& failure) {
    fail(ErrorKind::invalid_argument, "{}", failure.message());
  }
}

jinja::Value message_value(const ChatMessage& message) {
  const Origin role_origin =
      is_known_role(message.role) ? Origin::template_source : Origin::content;
  jinja::DictBuilder dict;
  dict.set_own("role", Text(message.role, role_origin));
  dict.set_own("content", Text(message.content, Origin::content));
  return dict.finish();
}

/// transformers always passes these, so templates find them defined: `tools is none`, not
/// undefined.
jinja::Value with_defaults(const jinja::Value& context) {
  if (!context.dict()) {
    fail(ErrorKind::invalid_argument, "the context of a chat template must be an object, found {}",
         context.type_name());
  }
  jinja::DictBuilder dict;
  dict.set_own("tools", jinja::None{});
  dict.set_own("documents", jinja::None{});
  dict.set_own("add_generation_prompt", false);
  for (const auto& [name, value] : context.dict()->entries()) dict.set(name, value);
  return dict.finish();
}

jinja::Value context_of(const std::vector<ChatMessage>& messages,
                        const ChatTemplateOptions& options) {
  std::vector<jinja::Value> values;
  values.reserve(messages.size());
  for (const ChatMessage& message : messages) values.push_back(message_value(message));
  jinja::DictBuilder context;
  context.set_own("messages", jinja::Value::list(std::move(values)));
  context.set_own("bos_token", jinja::Value::own(options.bos_token));
  context.set_own("eos_token", jinja::Value::own(options.eos_token));
  context.set_own("add_generation_prompt", options.add_generation_prompt);
  return with_defaults(context.finish());
}

std::vector<PromptPiece> pieces_of(const Text& prompt) {
  std::vector<PromptPiece> pieces;
  prompt.for_each_piece([&](std::string_view text, Origin origin) {
    pieces.push_back({std::string(text), origin == Origin::template_source});
  });
  return pieces;
}

}  // namespace

struct ChatTemplate::Parsed {
  explicit Parsed(std::string_view source) : source_template(source) {}

  Text render(const std::vector<ChatMessage>& messages, const ChatTemplateOptions& options) const {
    return source_template.render(context_of(messages, options));
  }
  Text render_json(std::string_view context_json, std::optional<std::tm> now) const {
    jinja::RenderOptions options;
    options.now = now;
    return source_template.render(with_defaults(parse_context(context_json)), options);
  }

  jinja::Template source_template;
};

ChatTemplate::ChatTemplate(std::string_view source) : parsed_(std::make_unique<Parsed>(source)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                 const ChatTemplateOptions& options) const {
  return std::string(parsed_->render(messages, options).bytes());
}

std::string ChatTemplate::render_json(std::string_view context_json,
                                      std::optional<std::tm> now) const {
  return std::string(parsed_->render_json(context_json, now).bytes());
}

std::vector<PromptPiece> ChatTemplate::render_pieces(const std::vector<ChatMessage>& messages,
                                                     const ChatTemplateOptions& options) const {
  return pieces_of(parsed_->render(messages, options));
}

std::vector<PromptPiece> ChatTemplate::render_json_pieces(std::string_view context_json,
                                                          std::optional<std::tm> now) const {
  return pieces_of(parsed_->render_json(context_json, now));
}

}  // namespace cairn::text
