#pragma once
// What a request in JSON may say about sampling and its end, beside its prompt: the fields that
// OpenAI's bodies and plain lines share.

#include <optional>
#include <string>
#include <vector>

#include "cli/json_fields.h"
#include "schedule/request.h"

namespace cairn::cli {

/// What text there is to stop at; tokens go to the request.
struct RequestTexts {
  std::vector<std::string> stop_strings;
  bool echo = false;  // the prompt's text stands before the answer's
};

/// Overwrites what is given in `request` (n, max_tokens, seed, sampling, logprobs, ...). Throws
/// invalid_argument naming the field; ranges are checked on submission.
void read_request_fields(JsonFields& fields, Request& request, RequestTexts& texts);

/// A list of token ids. Throws invalid_argument naming the field.
std::vector<TokenId> read_token_ids(const JsonFields& fields, std::string_view name,
                                    const nlohmann::json& list);

}  // namespace cairn::cli
