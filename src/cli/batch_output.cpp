#include "cli/batch_output.h"

#include <ctime>
#include <nlohmann/json.hpp>

namespace cairn::cli {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json list_of_ids(const BatchChoice& choice) {
  ordered_json list = ordered_json::array();
  for (const BatchToken& token : choice.tokens) list.push_back(token.token.value);
  return list;
}

void add_logit_hash(const BatchChoice& choice, ordered_json& object) {
  if (choice.logit_hash) object["logit_hash"] = fmt::format("{:016x}", *choice.logit_hash);
}

bool has_logprobs(const BatchLine& line) {
  return line.request.sampling.top_logprobs >= 0;
}

/// [{token, logprob, top: [[token, logprob], ...]}, ...] in ids.
ordered_json plain_logprobs(const BatchChoice& choice) {
  ordered_json list = ordered_json::array();
  for (const BatchToken& token : choice.tokens) {
    ordered_json top = ordered_json::array();
    for (const auto& [id, logprob] : token.top) {
      top.push_back(ordered_json::array({id.value, logprob}));
    }
    list.push_back(
        {{"token", token.token.value}, {"logprob", token.logprob}, {"top", std::move(top)}});
  }
  return list;
}

ordered_json plain_choice(const BatchLine& line, std::size_t index, const BatchChoice& choice) {
  ordered_json object = {{"index", index},
                         {"text", choice.text},
                         {"tokens", list_of_ids(choice)},
                         {"finish_reason", name_of(choice.reason)}};
  add_logit_hash(choice, object);
  if (has_logprobs(line)) object["logprobs"] = plain_logprobs(choice);
  return object;
}

ordered_json chat_entry(const std::string& piece, float logprob) {
  ordered_json bytes = ordered_json::array();
  for (const char byte : piece) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", piece}, {"logprob", logprob}, {"bytes", std::move(bytes)}};
}

ordered_json chat_logprobs(const BatchChoice& choice, const text::Tokenizer& tokenizer) {
  ordered_json list = ordered_json::array();
  for (const BatchToken& token : choice.tokens) {
    ordered_json entry = chat_entry(tokenizer.piece_bytes(token.token, true), token.logprob);
    entry["top_logprobs"] = ordered_json::array();
    for (const auto& [id, logprob] : token.top) {
      entry["top_logprobs"].push_back(chat_entry(tokenizer.piece_bytes(id, true), logprob));
    }
    list.push_back(std::move(entry));
  }
  return {{"content", std::move(list)}};
}

ordered_json completion_logprobs(const BatchChoice& choice, const text::Tokenizer& tokenizer) {
  ordered_json tokens = ordered_json::array();
  ordered_json logprobs = ordered_json::array();
  ordered_json tops = ordered_json::array();
  for (const BatchToken& token : choice.tokens) {
    tokens.push_back(tokenizer.piece_bytes(token.token, true));
    logprobs.push_back(token.logprob);
    ordered_json top = ordered_json::object();
    for (const auto& [id, logprob] : token.top) top[tokenizer.piece_bytes(id, true)] = logprob;
    tops.push_back(std::move(top));
  }
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(logprobs)},
          {"top_logprobs", std::move(tops)}};
}

ordered_json openai_choice(const BatchLine& line, std::size_t index, const BatchChoice& choice,
                           const text::Tokenizer& tokenizer) {
  const bool is_chat = line.form == BatchForm::chat;
  ordered_json object = {{"index", index}};
  ordered_json logprobs;
  if (is_chat) {
    object["message"] = {{"role", "assistant"}, {"content", choice.text}};
    if (has_logprobs(line)) logprobs = chat_logprobs(choice, tokenizer);
  } else {
    object["text"] = choice.text;
    if (has_logprobs(line)) logprobs = completion_logprobs(choice, tokenizer);
  }
  object["logprobs"] = std::move(logprobs);
  object["finish_reason"] = name_of(choice.reason);
  add_logit_hash(choice, object);
  return object;
}

ordered_json openai_line(const BatchLine& line, std::int64_t number, int status,
                         ordered_json body) {
  const std::string id = fmt::format("batch_req_{}", number);
  return {{"id", id},
          {"custom_id", line.custom_id.empty() ? ordered_json() : ordered_json(line.custom_id)},
          {"response", {{"status_code", status}, {"request_id", id}, {"body", std::move(body)}}},
          {"error", nullptr}};
}

}  // namespace

std::string answered_output(const BatchLine& line, std::int64_t number,
                            const std::vector<BatchChoice>& choices, const schedule::Usage& usage,
                            const text::Tokenizer& tokenizer) {
  const bool is_plain = line.form == BatchForm::plain;
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < choices.size(); ++index) {
    list.push_back(is_plain ? plain_choice(line, index, choices[index])
                            : openai_choice(line, index, choices[index], tokenizer));
  }
  if (is_plain) {
    return dumped({{"custom_id", line.custom_id},
                   {"choices", std::move(list)},
                   {"usage",
                    {{"prompt_tokens", usage.prompt_tokens},
                     {"cached_tokens", usage.cached_tokens},
                     {"generated_tokens", usage.generated_tokens}}}});
  }
  const bool is_chat = line.form == BatchForm::chat;
  return dumped(
      openai_line(line, number, 200,
                  {{"id", fmt::format("{}-{}", is_chat ? "chatcmpl" : "cmpl", number)},
                   {"object", is_chat ? "chat.completion" : "text_completion"},
                   {"created", static_cast<std::int64_t>(std::time(nullptr))},
                   {"model", line.model},
                   {"choices", std::move(list)},
                   {"usage",
                    {{"prompt_tokens", usage.prompt_tokens},
                     {"completion_tokens", usage.generated_tokens},
                     {"total_tokens", usage.prompt_tokens + usage.generated_tokens},
                     {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}}}}}));
}

std::string refused_output(const BatchLine& line, std::int64_t number, const Error& error) {
  const std::string message = fmt::format("line {}: {}", number, error.message());
  const char* const kind = base::name_of(error.kind());
  if (line.form == BatchForm::plain) {
    return dumped(
        {{"custom_id", line.custom_id.empty() ? ordered_json() : ordered_json(line.custom_id)},
         {"error", {{"kind", kind}, {"message", message}}}});
  }
  const bool is_theirs = error.kind() == ErrorKind::invalid_argument;
  return dumped(openai_line(line, number, is_theirs ? 400 : 503,
                            {{"error",
                              {{"message", message},
                               {"type", is_theirs ? "invalid_request_error" : "server_error"},
                               {"param", nullptr},
                               {"code", kind}}}}));
}

}  // namespace cairn::cli
