#include "engine/model_executor.h"

#include "engine/memory_plan.h"

namespace cairn::engine {
namespace {

constexpr std::size_t kForbiddenTokens = 64;  // more allocate once

std::size_t logits_bytes(const models::Model& model, const EngineOptions& options) {
  return static_cast<std::size_t>(options.max_logit_rows) *
         static_cast<std::size_t>(model.shape().vocabulary) * sizeof(float);
}

}  // namespace

ModelExecutor::ModelExecutor(const models::Model& model, backend::Backend& backend,
                             const KvStore& kv, std::span<const cache::PageGroup> groups,
                             const EngineOptions& options)
    : model_(model),
      backend_(backend),
      kv_(kv),
      builder_(groups, {options.max_batch_tokens, options.max_logit_rows, options.page_tokens}),
      workspace_(backend.allocate(static_cast<std::size_t>(workspace_bytes(model, options)))),
      logits_memory_(backend.allocate(logits_bytes(model, options))),
      sampler_(model.shape().vocabulary, options.context_tokens) {
  forbidden_.reserve(kForbiddenTokens);
}

schedule::Ticket ModelExecutor::submit(const schedule::StepPlan& plan) {
  CHECK(plan_ == nullptr, "step {} is in flight", steps_);
  plan_ = &plan;
  for (const cache::PageCopy& copy : plan.copies) kv_.copy(copy);
  const nn::Batch batch = builder_.build(plan);
  const Tensor logits{
      DType::f32,
      {static_cast<std::int64_t>(batch.logit_rows.size()), model_.shape().vocabulary},
      logits_memory_.data()};
  CHECK(logits.size_bytes() <= logits_memory_.size_bytes(), "{} rows of logits",
        batch.logit_rows.size());
  workspace_.reset();
  nn::Pass pass{backend_, batch, workspace_, kv_.layers()};
  model_.forward(pass, logits);
  return schedule::Ticket(++steps_);
}

void ModelExecutor::collect(schedule::Ticket ticket, schedule::StepResult& result) {
  CHECK(plan_ != nullptr && ticket.value == steps_, "step {} of {}", ticket.value, steps_);
  result.clear();
  std::int32_t row = 0;
  for (const schedule::SequenceStep& step : plan_->sequences) {
    const auto first_score = static_cast<std::int32_t>(result.scores.size());
    if (step.sequence->request->prompt_logprobs) score_prompt(step, row, result);
    const std::int32_t end_row = row + step.logit_row_count();
    if (step.samples) draw(step, end_row - 1, result);
    const auto end_score = static_cast<std::int32_t>(result.scores.size());
    result.sequences.push_back({first_score, end_score - first_score, row});
    row = end_row;
  }
  const auto values = static_cast<std::size_t>(row * model_.shape().vocabulary);
  result.logits = {reinterpret_cast<const float*>(logits_memory_.data()), values};
  result.vocabulary = model_.shape().vocabulary;
  plan_ = nullptr;
}

std::span<const float> ModelExecutor::logits_row(std::int32_t row) const {
  const auto vocabulary = static_cast<std::size_t>(model_.shape().vocabulary);
  const auto* const logits = reinterpret_cast<const float*>(logits_memory_.data());
  return {logits + static_cast<std::size_t>(row) * vocabulary, vocabulary};
}

void ModelExecutor::score_prompt(const schedule::SequenceStep& step, std::int32_t first_row,
                                 schedule::StepResult& result) {
  const schedule::Sequence& sequence = *step.sequence;
  for (std::int32_t position = step.logits_from; position < step.end_position(); ++position) {
    if (position + 1 >= sequence.prompt_count()) break;
    schedule::TokenScore score;
    score.position = position + 1;
    score.token = sequence.tokens[static_cast<std::size_t>(position) + 1];
    score.first_top = static_cast<std::int32_t>(result.tops.size());
    score.logprob = sampler_.score(logits_row(first_row + position - step.logits_from), score.token,
                                   sequence.request->sampling.top_logprobs, result.tops);
    score.top_count = static_cast<std::int32_t>(result.tops.size()) - score.first_top;
    result.scores.push_back(score);
  }
}

void ModelExecutor::draw(const schedule::SequenceStep& step, std::int32_t row,
                         schedule::StepResult& result) {
  const schedule::Sequence& sequence = *step.sequence;
  const SampleInput input{.logits = logits_row(row),
                          .parameters = sequence.request->sampling,
                          .history = sequence.tokens,
                          .forbidden = forbidden_tokens(sequence),
                          .choice_index = static_cast<std::uint32_t>(sequence.choice),
                          .position = static_cast<std::uint32_t>(sequence.token_count())};
  schedule::TokenScore score;
  score.position = sequence.token_count();
  score.first_top = static_cast<std::int32_t>(result.tops.size());
  const SampledToken sampled = sampler_.sample(input, result.tops);
  score.token = sampled.token;
  score.logprob = sampled.logprob;
  score.top_count = static_cast<std::int32_t>(result.tops.size()) - score.first_top;
  result.scores.push_back(score);
}

std::span<const TokenId> ModelExecutor::forbidden_tokens(const schedule::Sequence& sequence) {
  const Request& request = *sequence.request;
  const bool too_early = sequence.generated_count() < request.min_tokens;
  if (!too_early) {
    return request.sampling.ignore_eos ? std::span<const TokenId>(request.end_tokens)
                                       : std::span<const TokenId>();
  }
  forbidden_.assign(request.end_tokens.begin(), request.end_tokens.end());
  forbidden_.insert(forbidden_.end(), request.stop_tokens.begin(), request.stop_tokens.end());
  return forbidden_;
}

}  // namespace cairn::engine
