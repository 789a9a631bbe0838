#include "engine/model_executor.h"

#include "engine/memory_plan.h"

namespace cairn::engine {
namespace {

std::size_t logits_bytes(const models::Model& model, const EngineOptions& options) {
  return static_cast<std::size_t>(options.max_logit_rows) *
         static_cast<std::size_t>(model.shape().vocabulary) * sizeof(float);
}

}  // namespace

ModelExecutor::ModelExecutor(const models::Model& model, backend::Backend& backend,
                             base::ThreadPool& threads, const KvStore& kv,
                             std::span<const cache::PageGroup> groups, const EngineOptions& options)
    : model_(model),
      backend_(backend),
      kv_(kv),
      builder_(groups, {options.max_batch_tokens, options.max_logit_rows, options.page_tokens}),
      workspace_(backend.allocate(static_cast<std::size_t>(workspace_bytes(model, options)))),
      logits_memory_(backend.allocate(logits_bytes(model, options))),
      sampler_(threads, model.shape().vocabulary, options.context_tokens, options.max_logit_rows) {}

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
  const std::int64_t vocabulary = model_.shape().vocabulary;
  const auto values = static_cast<std::size_t>(plan_->logit_row_count * vocabulary);
  const std::span<float> logits(reinterpret_cast<float*>(logits_memory_.data()), values);
  sampler_.sample(*plan_, logits, result);
  result.logits = logits;
  result.vocabulary = vocabulary;
  plan_ = nullptr;
}

}  // namespace cairn::engine
