#pragma once
// From a conversation to the variables of its template, as transformers names them. Every string
// is marked as content but the model's own tokens and well-known roles, which templates put into
// tokens ('<|' + role + '|>').

#include <string_view>

#include "text/chat_request.h"
#include "text/jinja/value.h"

namespace cairn::text {

/// What a template makes of a message's content.
struct ContentForms {
  bool text = true;   // a string
  bool parts = true;  // a list of {"type": "text", "text": ...}
};

/// The context as JSON, passed on as it is, with `tools`, `documents` and `add_generation_prompt`
/// where they are missing, and `tokens` likewise. Throws invalid_argument.
jinja::Value chat_context(std::string_view context_json, const TokenTexts& tokens);

/// Content comes in a form that the template takes. Throws invalid_argument, naming the message,
/// where a field is no JSON or the template takes only text and a part is none.
jinja::Value chat_context(const ChatRequest& request, const TokenTexts& tokens, ContentForms forms);

/// Whether the context has a list of tools that is not empty.
bool has_tools(const jinja::Value& context);

/// Stands behind the last message's text where that is to be continued. The blank at its end tells
/// whether the template trims what it prints.
inline constexpr std::string_view kContinuationMark = "<|cairn: the answer goes on here|> ";

}  // namespace cairn::text
