#pragma once
// Carries a plan out with a model on a backend: rows, forward, logits of the wanted rows, draws.
// Owns the memory that a step needs; a step allocates nothing.

#include <cstdint>
#include <span>

#include "backend/backend.h"
#include "base/context.h"
#include "engine/batch_builder.h"
#include "engine/batch_sampler.h"
#include "engine/kv_store.h"
#include "engine/step_times.h"
#include "models/model.h"
#include "schedule/executor.h"
#include "schedule/step_price.h"

namespace cairn::engine {

/// All must outlive the executor. `price` learns what each step took.
struct ExecutorParts {
  const models::Model& model;
  backend::Backend& backend;
  Context& context;
  KvStore& kv;
  std::span<const cache::PageGroup> groups;
  schedule::StepPrice& price;
};

class ModelExecutor final : public schedule::Executor {
 public:
  /// Options with every 0 resolved. Throws out_of_memory.
  ModelExecutor(const ExecutorParts& parts, const EngineOptions& options);

  schedule::Ticket submit(const schedule::StepPlan& plan) override;
  void collect(schedule::Ticket ticket, schedule::StepResult& result) override;

  /// Of the last step that was collected.
  const StepTimes& times() const { return times_; }

 private:
  ExecutorParts parts_;
  BatchBuilder builder_;
  nn::Workspace workspace_;
  Buffer logits_memory_;  // [max_logit_rows, vocabulary]
  BatchSampler sampler_;
  const schedule::StepPlan* plan_ = nullptr;  // in flight
  std::int64_t steps_ = 0;
  StepTimes times_;
};

}  // namespace cairn::engine
