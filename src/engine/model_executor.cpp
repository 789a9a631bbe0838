#include "engine/model_executor.h"

#include "engine/memory_plan.h"

namespace cairn::engine {
namespace {

std::size_t logits_bytes(const models::Model& model, const EngineOptions& options) {
  return static_cast<std::size_t>(options.max_logit_rows) *
         static_cast<std::size_t>(model.shape().vocabulary) * sizeof(float);
}

}  // namespace

ModelExecutor::ModelExecutor(const ExecutorParts& parts, const EngineOptions& options)
    : parts_(parts),
      builder_(parts.groups,
               {options.max_batch_tokens, options.max_logit_rows, options.page_tokens}),
      workspace_(
          parts.backend.allocate(static_cast<std::size_t>(workspace_bytes(parts.model, options)))),
      logits_memory_(parts.backend.allocate(logits_bytes(parts.model, options))),
      sampler_(parts.context.threads, parts.model.shape().vocabulary, options.context_tokens,
               options.max_logit_rows) {}

schedule::Ticket ModelExecutor::submit(const schedule::StepPlan& plan) {
  CHECK(plan_ == nullptr, "step {} is in flight", steps_);
  plan_ = &plan;
  times_.begun = parts_.context.clock.now();
  std::int64_t token_count = 0;
  for (const schedule::SequenceStep& step : plan.sequences) token_count += step.end_position();
  parts_.kv.expect(token_count);
  for (const cache::PageCopy& copy : plan.copies) parts_.kv.copy(copy);
  const nn::Batch batch = builder_.build(plan);
  const Tensor logits{
      DType::f32,
      {static_cast<std::int64_t>(batch.logit_rows.size()), parts_.model.shape().vocabulary},
      logits_memory_.data()};
  CHECK(logits.size_bytes() <= logits_memory_.size_bytes(), "{} rows of logits",
        batch.logit_rows.size());
  workspace_.reset();
  nn::Pass pass{parts_.backend, batch, workspace_, parts_.kv.layers()};
  times_.built = parts_.context.clock.now();
  parts_.model.forward(pass, logits);
  times_.computed = parts_.context.clock.now();
  return schedule::Ticket(++steps_);
}

void ModelExecutor::collect(schedule::Ticket ticket, schedule::StepResult& result) {
  CHECK(plan_ != nullptr && ticket.value == steps_, "step {} of {}", ticket.value, steps_);
  result.clear();
  const std::int64_t vocabulary = parts_.model.shape().vocabulary;
  const auto values = static_cast<std::size_t>(plan_->logit_row_count * vocabulary);
  const std::span<float> logits(reinterpret_cast<float*>(logits_memory_.data()), values);
  sampler_.sample(*plan_, logits, result);
  result.logits = logits;
  result.vocabulary = vocabulary;
  times_.drawn = parts_.context.clock.now();
  parts_.price.learn(*plan_, base::seconds_between(times_.begun, times_.drawn));
  plan_ = nullptr;
}

}  // namespace cairn::engine
