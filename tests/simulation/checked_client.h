#pragma once
// A client that knows what its request gives when it is alone, and compares: every token, every
// row of logits once and in order, one end per choice, and for the right reason.

#include <cstdint>
#include <string>
#include <vector>

#include "load_client.h"

namespace cairn::simulation {

class CheckedClient final : public LoadClient {
 public:
  /// `fault` takes the first fault of all clients. `stop_index`: the generated token at which the
  /// client ends the choice; -1: never.
  CheckedClient(Request request, std::int32_t vocabulary, std::int32_t context_tokens,
                std::int32_t stop_index, std::string& fault);

  schedule::Next on_token(const schedule::TokenEvent& event) override;
  void on_logits(std::int32_t choice, std::int32_t position,
                 std::span<const float> logits) override;
  void on_finished(const schedule::FinishedEvent& event) override;

 private:
  struct Choice {
    std::uint64_t prefix = 0;  // hash of all tokens so far
    std::int32_t generated_count = 0;
    std::int32_t next_logits = 0;  // position whose logits are due next
    bool stopped = false;          // by a token or by the client
    bool finished = false;
  };

  void require(bool condition, const Choice& choice, const char* what);
  std::int32_t prompt_count() const { return static_cast<std::int32_t>(request_.prompt.size()); }
  bool is_stop(TokenId token) const;

  Request request_;
  std::int32_t vocabulary_;
  std::int32_t length_limit_;
  std::int32_t stop_index_;
  std::string& fault_;
  std::vector<std::uint64_t> prompt_prefixes_;  // by position
  std::vector<Choice> choices_;
  std::int32_t unfinished_;
};

}  // namespace cairn::simulation
