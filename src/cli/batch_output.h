#pragma once
// The lines of a batch's output, in the form of the line that asked.
//
//   plain    {"custom_id", "choices": [{"index", "text", "tokens", "finish_reason", "logit_hash",
//            "logprobs"}], "usage"}  or  {"custom_id", "error": {"kind", "message"}}
//   OpenAI   {"id", "custom_id", "response": {"status_code", "request_id", "body"}, "error": null}

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/batch_line.h"
#include "schedule/request_observer.h"
#include "text/tokenizer.h"

namespace cairn::cli {

struct BatchToken {
  TokenId token;
  float logprob = 0;
  std::vector<schedule::TokenLogprob> top;
};

struct BatchChoice {
  std::string text;
  std::vector<BatchToken> tokens;  // what was generated, the token that ended it included
  schedule::FinishReason reason = schedule::FinishReason::none;
  std::optional<std::uint64_t> logit_hash;
};

/// `number` is that of the line, from 1 on; usage that of all choices together. Neither ends in a
/// line break.
std::string answered_output(const BatchLine& line, std::int64_t number,
                            const std::vector<BatchChoice>& choices, const schedule::Usage& usage,
                            const text::Tokenizer& tokenizer);
std::string refused_output(const BatchLine& line, std::int64_t number, const Error& error);

}  // namespace cairn::cli
