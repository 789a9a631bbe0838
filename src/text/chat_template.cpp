#include "text/chat_template.h"

#include "base/error.h"
#include "text/chat_context.h"
#include "text/jinja/template.h"

namespace cairn::text {
namespace {

using jinja::Origin;
using jinja::Text;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<PromptPiece> pieces_of(const Text& prompt) {
  std::vector<PromptPiece> pieces;
  prompt.for_each_piece([&](std::string_view text, Origin origin) {
    pieces.push_back({std::string(text), origin == Origin::template_source});
  });
  return pieces;
}

/// The prompt up to the mark of continuation. A template that trims what it prints took the blank
/// behind the mark, so the text before it is trimmed as well.
Text cut_at_mark(const Text& prompt) {
  const std::string_view bytes = prompt.bytes();
  const std::string_view mark = trimmed(kContinuationMark);
  const std::size_t begin = bytes.rfind(mark);
  if (begin == std::string_view::npos) {
    fail(ErrorKind::invalid_argument,
         "the chat template does not print the last message's text, so it cannot be continued");
  }
  if (bytes.substr(begin).starts_with(kContinuationMark)) return prompt.sub(0, begin);
  return prompt.sub(0, bytes.substr(0, begin).find_last_not_of(kBlanks) + 1);
}

/// Whether a message whose content is `content_json` comes out as text. The needle is the text, the
/// chaff another field of a part: where that shows, a list was printed as it is.
bool prints(const jinja::Template& parsed, std::string_view content_json) {
  const std::string context =
      fmt::format(R"({{"messages": [{{"role": "user", "content": {}}}], "tools": [], )"
                  R"("add_generation_prompt": true, "bos_token": "", "eos_token": ""}})",
                  content_json);
  try {
    const Text text = parsed.render(chat_context(context, {}));
    return text.bytes().find("needle") != std::string_view::npos &&
           text.bytes().find("chaff") == std::string_view::npos;
  } catch (const Error&) {
    return false;
  }
}

ContentForms forms_of(const jinja::Template& parsed) {
  ContentForms forms;
  forms.text = prints(parsed, R"("needle")");
  forms.parts = prints(parsed, R"([{"type": "text", "text": "needle", "more": "chaff"}])");
  // One that prints neither wants more than one bare message: it gets what most templates take.
  if (!forms.parts) forms.text = true;
  return forms;
}

}  // namespace

struct ChatTemplate::Parsed {
  explicit Parsed(std::string_view source) : code(source), forms(forms_of(code)) {}

  jinja::Template code;
  ContentForms forms;
};

ChatTemplate::ChatTemplate(std::string_view source)
    : parsed_(std::make_unique<const Parsed>(source)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::vector<PromptPiece> ChatTemplate::render(const ChatRequest& request,
                                              const TokenTexts& tokens) const {
  if (request.continue_final_message && request.add_generation_prompt) {
    fail(ErrorKind::invalid_argument,
         "continue_final_message and add_generation_prompt exclude each other: give one of them");
  }
  if (request.continue_final_message && request.messages.empty()) {
    fail(ErrorKind::invalid_argument, "continue_final_message: there is no message to continue");
  }
  jinja::RenderOptions options;
  options.now = request.now;
  const Text prompt = parsed_->code.render(chat_context(request, tokens, parsed_->forms), options);
  return pieces_of(request.continue_final_message ? cut_at_mark(prompt) : prompt);
}

std::vector<PromptPiece> ChatTemplate::render_context(const jinja::Value& context,
                                                      std::optional<std::tm> now) const {
  jinja::RenderOptions options;
  options.now = now;
  return pieces_of(parsed_->code.render(context, options));
}

std::string joined(const std::vector<PromptPiece>& pieces) {
  std::string text;
  for (const PromptPiece& piece : pieces) text += piece.text;
  return text;
}

}  // namespace cairn::text
