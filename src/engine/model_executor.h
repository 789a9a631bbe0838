#pragma once
// Carries a plan out with a model on a backend: rows, forward, logits of the wanted rows, draws.
// Owns the memory that a step needs; a step allocates nothing.

#include <cstdint>
#include <span>

#include "backend/backend.h"
#include "base/thread_pool.h"
#include "engine/batch_builder.h"
#include "engine/batch_sampler.h"
#include "engine/kv_store.h"
#include "models/model.h"
#include "schedule/executor.h"

namespace cairn::engine {

class ModelExecutor final : public schedule::Executor {
 public:
  /// All must outlive this; options with every 0 resolved. Throws out_of_memory.
  ModelExecutor(const models::Model& model, backend::Backend& backend, base::ThreadPool& threads,
                const KvStore& kv, std::span<const cache::PageGroup> groups,
                const EngineOptions& options);

  schedule::Ticket submit(const schedule::StepPlan& plan) override;
  void collect(schedule::Ticket ticket, schedule::StepResult& result) override;

 private:
  const models::Model& model_;
  backend::Backend& backend_;
  const KvStore& kv_;
  BatchBuilder builder_;
  nn::Workspace workspace_;
  Buffer logits_memory_;  // [max_logit_rows, vocabulary]
  BatchSampler sampler_;
  const schedule::StepPlan* plan_ = nullptr;  // in flight
  std::int64_t steps_ = 0;
};

}  // namespace cairn::engine
