#include "cli/batch_answer.h"

#include <xxhash.h>

#include <algorithm>

namespace cairn::cli {

void BatchAnswer::HashDeleter::operator()(XXH64_state_s* state) const {
  XXH64_freeState(state);
}

BatchAnswer::BatchAnswer(BatchLine line, std::int64_t number, bool hashes_logits,
                         const text::Tokenizer& tokenizer, const base::Clock& clock,
                         BatchTotals& totals)
    : line_(std::move(line)),
      number_(number),
      prompt_tokens_(static_cast<std::int32_t>(line_.request.prompt.size())),
      tokenizer_(tokenizer),
      clock_(clock),
      totals_(totals),
      submitted_(clock.now()),
      streams_(static_cast<std::size_t>(std::max(line_.request.choice_count, 1))) {
  const std::string before =
      line_.texts.echo ? text::decode(tokenizer, line_.request.prompt) : std::string();
  for (Stream& stream : streams_) {
    stream.detokenizer = std::make_unique<text::Detokenizer>(tokenizer, line_.texts.stop_strings);
    stream.choice.text = before;
    stream.last_token = submitted_;
    if (!hashes_logits) continue;
    stream.logit_hash.reset(XXH64_createState());
    XXH64_reset(stream.logit_hash.get(), 0);
  }
}

BatchAnswer::~BatchAnswer() = default;

schedule::Next BatchAnswer::on_token(const schedule::TokenEvent& event) {
  if (event.index < 0) return schedule::Next::go_on;
  Stream& stream = streams_[static_cast<std::size_t>(event.choice)];
  const base::TimePoint now = clock_.now();
  const bool is_stream = !line_.request.beam_search;  // beams come at once, when all is over
  if (is_stream) {
    (event.index == 0 ? totals_.first_token : totals_.inter_token)
        .add(seconds_between(stream.last_token, now));
  }
  stream.last_token = now;
  stream.choice.tokens.push_back(
      {event.token, event.logprob, {event.top.begin(), event.top.end()}});
  if (event.ends) return schedule::Next::go_on;
  stream.choice.text += stream.detokenizer->push(event.token);
  return stream.detokenizer->stopped() ? schedule::Next::stop : schedule::Next::go_on;
}

void BatchAnswer::on_logits(std::int32_t choice, std::int32_t position,
                            std::span<const float> logits) {
  XXH64_state_s* const hash = streams_[static_cast<std::size_t>(choice)].logit_hash.get();
  if (hash == nullptr || position + 1 < prompt_tokens_) return;
  XXH64_update(hash, logits.data(), logits.size_bytes());
}

void BatchAnswer::on_finished(const schedule::FinishedEvent& event) {
  Stream& stream = streams_[static_cast<std::size_t>(event.choice)];
  stream.choice.text += stream.detokenizer->finish();
  stream.choice.reason = event.reason;
  cancelled_ |= event.reason == schedule::FinishReason::cancelled;
  usage_.generated_tokens += event.usage.generated_tokens;
  if (event.choice == 0) {
    usage_.prompt_tokens = event.usage.prompt_tokens;
    usage_.cached_tokens = event.usage.cached_tokens;
  }
  if (!event.last) return;
  finished_ = true;
  if (cancelled_) return;
  ++totals_.requests;
  totals_.prompt_tokens += usage_.prompt_tokens;
  totals_.cached_tokens += usage_.cached_tokens;
  totals_.generated_tokens += usage_.generated_tokens;
}

std::string BatchAnswer::output() const {
  std::vector<BatchChoice> choices;
  for (const Stream& stream : streams_) {
    choices.push_back(stream.choice);
    if (stream.logit_hash) choices.back().logit_hash = XXH64_digest(stream.logit_hash.get());
  }
  return answered_output(line_, number_, choices, usage_, tokenizer_);
}

}  // namespace cairn::cli
