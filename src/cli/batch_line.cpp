#include "cli/batch_line.h"

#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/chat_format.h"

namespace cairn::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kCompletions = "/v1/completions";
constexpr std::string_view kChat = "/v1/chat/completions";

json parse_object(std::string_view text) {
  // What walks over JSON recurses.
  static constexpr int kMostDepth = 64;
  const auto require_shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > kMostDepth) {
      fail(ErrorKind::invalid_argument,
           "the line nests lists and objects {} deep; at most {} are read", depth, kMostDepth);
    }
    return true;
  };
  json object = json::parse(text, require_shallow, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    fail(ErrorKind::invalid_argument, "the line is no JSON object; expected one request a line");
  }
  return object;
}

BatchForm form_of(JsonFields& fields) {
  std::string url;
  std::string method = "POST";
  fields.read("method", method);
  if (method != "POST")
    fail(ErrorKind::invalid_argument, "method: found {}, expected POST", method);
  if (!fields.read("url", url)) fail(ErrorKind::invalid_argument, "url: missing beside the body");
  if (url == kCompletions) return BatchForm::completions;
  if (url == kChat) return BatchForm::chat;
  fail(ErrorKind::invalid_argument, "url: found {}, expected {} or {}", url, kCompletions, kChat);
}

/// Fields of OpenAI's that change nothing here, and those that would change the answer's form.
void take_ignored(JsonFields& fields) {
  for (const char* name : {"user", "metadata", "store", "service_tier", "stream_options",
                           "safety_identifier", "prompt_cache_key", "parallel_tool_calls"}) {
    fields.take(name);
  }
  bool stream = false;
  fields.read("stream", stream);
  if (stream) fail(ErrorKind::invalid_argument, "body.stream: a batch has nobody to stream to");
  std::int32_t best_of = 1;
  if (fields.read("best_of", best_of) && best_of != 1) {
    fail(ErrorKind::invalid_argument, "body.best_of: found {}, expected 1; use n", best_of);
  }
}

}  // namespace

BatchLineReader::BatchLineReader(const engine::LoadedModel& loaded, const engine::Session& session,
                                 std::uint64_t seed)
    : loaded_(loaded), session_(session), seed_(seed) {}

void BatchLineReader::read(std::string_view text, BatchLine& line) const {
  const json object = parse_object(text);
  JsonFields fields(object, "");
  const bool has_body = object.contains("body") || object.contains("url");
  if (has_body) line.form = BatchForm::completions;  // until the url says which
  if (!fields.read("custom_id", line.custom_id) || line.custom_id.empty()) {
    fail(ErrorKind::invalid_argument, "custom_id: missing or empty; answers are found by it");
  }
  if (!has_body) return read_plain(fields, line);
  line.form = form_of(fields);
  const json* const body = fields.take("body");
  if (body == nullptr || !body->is_object()) {
    fail(ErrorKind::invalid_argument, "body: expected an object");
  }
  fields.require_all_taken();
  JsonFields body_fields(*body, "body.");
  read_body(body_fields, line);
}

void BatchLineReader::read_plain(JsonFields& fields, BatchLine& line) const {
  const json* const tokens = fields.take("tokens");
  if (tokens == nullptr) return read_prompt(fields, line);
  if (fields.take("prompt") != nullptr) {
    fail(ErrorKind::invalid_argument, "prompt and tokens: give one of them");
  }
  finish(fields, line, read_token_ids(fields, "tokens", *tokens));
}

void BatchLineReader::read_body(JsonFields& fields, BatchLine& line) const {
  fields.read("model", line.model);
  take_ignored(fields);
  if (line.form == BatchForm::chat) return read_messages(fields, line);
  read_prompt(fields, line);
}

void BatchLineReader::read_prompt(JsonFields& fields, BatchLine& line) const {
  constexpr std::string_view kName = "prompt";
  const json* prompt = fields.take(kName);
  if (prompt == nullptr) {
    fail(ErrorKind::invalid_argument, "{}: missing; expected a string or token ids",
         fields.path_of(kName));
  }
  // OpenAI's lists of prompts, where there is one.
  const bool is_list = prompt->is_array() && !prompt->empty() && !prompt->front().is_number();
  if (is_list && prompt->size() > 1) {
    fail(ErrorKind::invalid_argument, "{}: found a list of {}, expected one prompt a line",
         fields.path_of(kName), prompt->size());
  }
  if (is_list) prompt = &prompt->front();
  if (prompt->is_array()) return finish(fields, line, read_token_ids(fields, kName, *prompt));
  if (!prompt->is_string()) fields.fail_type(kName, *prompt, "a string or token ids");
  finish(fields, line,
         loaded_.tokenizer().encode(prompt->get_ref<const std::string&>(),
                                    {.add_special = true, .parse_special = false}));
}

void BatchLineReader::read_messages(JsonFields& fields, BatchLine& line) const {
  constexpr std::string_view kName = "messages";
  const json* const messages = fields.take(kName);
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    fail(ErrorKind::invalid_argument, "{}: expected a list of messages", fields.path_of(kName));
  }
  text::ChatRequest chat;
  for (const json& message : *messages) {
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
      fields.fail_type(kName, message, "messages with a role");
    }
    chat.messages.push_back(
        {.role = message["role"].get<std::string>(), .content = "", .fields_json = message.dump()});
  }
  if (const json* const tools = fields.take("tools")) chat.tools_json = tools->dump();
  if (const json* const keywords = fields.take("chat_template_kwargs")) {
    chat.keywords_json = keywords->dump();
  }
  finish(fields, line, loaded_.require_chat_format().encode(chat, loaded_.tokenizer()));
}

void BatchLineReader::finish(JsonFields& fields, BatchLine& line,
                             std::vector<TokenId> prompt) const {
  line.request = session_.new_request(std::move(prompt));
  const std::string& id = line.custom_id;
  line.request.sampling.seed = XXH64(id.data(), id.size(), seed_);
  read_request_fields(fields, line.request, line.texts);
  fields.require_all_taken();
}

}  // namespace cairn::cli
