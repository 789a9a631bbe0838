#pragma once
// One line of a batch's input: a request in plain form or in OpenAI's.
//
//   {"custom_id": "a", "prompt": "Once", "max_tokens": 20, "temperature": 0}
//   {"custom_id": "b", "tokens": [1, 2, 3], "n": 3, "seed": 7}
//   {"custom_id": "c", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": ...}}
//   {"custom_id": "d", "method": "POST", "url": "/v1/completions", "body": {"prompt": ...}}

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/request_fields.h"
#include "engine/session.h"

namespace cairn::cli {

enum class BatchForm { plain, completions, chat };

struct BatchLine {
  std::string custom_id;  // empty: the line has none that can be read
  BatchForm form = BatchForm::plain;
  std::string model;  // OpenAI's field, given back as it came
  Request request;
  RequestTexts texts;
};

class BatchLineReader {
 public:
  /// All must outlive this. A request without a seed gets hash(seed, custom_id).
  BatchLineReader(const engine::LoadedModel& loaded, const engine::Session& session,
                  std::uint64_t seed);

  /// Fills `line` as far as it can and throws invalid_argument naming the field that is wrong, so
  /// that custom_id and form are known where they can be.
  void read(std::string_view text, BatchLine& line) const;

 private:
  void read_plain(JsonFields& fields, BatchLine& line) const;
  void read_body(JsonFields& fields, BatchLine& line) const;
  void read_prompt(JsonFields& fields, BatchLine& line) const;
  void read_messages(JsonFields& fields, BatchLine& line) const;
  void finish(JsonFields& fields, BatchLine& line, std::vector<TokenId> prompt) const;

  const engine::LoadedModel& loaded_;
  const engine::Session& session_;
  std::uint64_t seed_;
};

}  // namespace cairn::cli
