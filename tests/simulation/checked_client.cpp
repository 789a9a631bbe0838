#include "checked_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/counting_executor.h"

namespace cairn::simulation {

using schedule::CountingExecutor;
using schedule::FinishReason;
using schedule::Next;

CheckedClient::CheckedClient(Request request, std::int32_t vocabulary, std::int32_t context_tokens,
                             std::int32_t stop_index, std::string& fault)
    : request_(std::move(request)),
      vocabulary_(vocabulary),
      length_limit_(request_.max_tokens ? prompt_count() + *request_.max_tokens : context_tokens),
      stop_index_(stop_index),
      fault_(fault),
      choices_(static_cast<std::size_t>(request_.choice_count)),
      unfinished_(request_.choice_count) {
  prompt_prefixes_.reserve(request_.prompt.size());
  std::uint64_t prefix = 0;
  for (const TokenId token : request_.prompt) {
    prefix = CountingExecutor::append(prefix, token);
    prompt_prefixes_.push_back(prefix);
  }
  for (Choice& choice : choices_) {
    choice.prefix = prefix;
    choice.next_logits = request_.logits_from;
  }
}

void CheckedClient::require(bool condition, const Choice& choice, const char* what) {
  if (condition || !fault_.empty()) return;
  fault_ = fmt::format("request {}, choice {}, generated token {}: {}", id().value,
                       &choice - choices_.data(), choice.generated_count, what);
}

bool CheckedClient::is_stop(TokenId token) const {
  const auto& tokens = request_.stop_tokens;
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

Next CheckedClient::on_token(const schedule::TokenEvent& event) {
  Choice& choice = choices_[static_cast<std::size_t>(event.choice)];
  require(!choice.finished && !choice.stopped, choice, "comes after the end");
  require(event.index == choice.generated_count, choice, "is not the next one");
  require(event.position == prompt_count() + choice.generated_count, choice, "stands elsewhere");
  const TokenId expected =
      CountingExecutor::draw(choice.prefix, request_.sampling.seed, event.choice, vocabulary_);
  require(event.token == expected, choice, "differs from the text alone");
  choice.prefix = CountingExecutor::append(choice.prefix, event.token);
  ++choice.generated_count;
  const bool ends = is_stop(event.token) && choice.generated_count > request_.min_tokens;
  require(event.ends == ends, choice, "ends the choice or not");
  const bool stops = event.index == stop_index_;
  choice.stopped = ends || stops;
  return stops ? Next::stop : Next::go_on;
}

void CheckedClient::on_logits(std::int32_t index, std::int32_t position,
                              std::span<const float> logits) {
  Choice& choice = choices_[static_cast<std::size_t>(index)];
  require(position == choice.next_logits, choice, "logits are shown twice or left out");
  choice.next_logits = position + 1;
  const std::uint64_t prefix = position < prompt_count()
                                   ? prompt_prefixes_[static_cast<std::size_t>(position)]
                                   : choice.prefix;
  require(logits[0] == CountingExecutor::logit(prefix), choice, "logits are of another prefix");
}

void CheckedClient::on_finished(const schedule::FinishedEvent& event) {
  Choice& choice = choices_[static_cast<std::size_t>(event.choice)];
  require(!choice.finished, choice, "finished twice");
  choice.finished = true;
  --unfinished_;
  require(event.last == (unfinished_ == 0), choice, "is the last or not");
  if (event.last) set_done();
  const std::int32_t count = prompt_count() + choice.generated_count;
  require(event.usage.generated_tokens == choice.generated_count, choice, "usage is wrong");
  require(event.usage.cached_tokens < prompt_count(), choice, "all of the prompt was cached");
  switch (event.reason) {
    case FinishReason::length:
      require(count == length_limit_ && !choice.stopped, choice, "is not the last one");
      break;
    case FinishReason::stop:
      require(choice.stopped, choice, "stopped without a reason");
      break;
    case FinishReason::cancelled:
      require(cancelled(), choice, "nobody cancelled");
      return;
    case FinishReason::deadline:
      require(request_.deadline.has_value(), choice, "has no deadline");
      return;
    case FinishReason::none:
      require(false, choice, "finished without a reason");
  }
  // The last generated token was never computed.
  const std::int32_t computed = count - (choice.generated_count > 0 ? 1 : 0);
  require(choice.next_logits == std::max(request_.logits_from, computed), choice,
          "logits are missing");
}

}  // namespace cairn::simulation
