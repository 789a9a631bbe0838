#pragma once
// What a step of a model costs, before it runs: the model's own forward on shapes only
// (backend/cost). Not thread-safe.

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cost/cost_backend.h"
#include "checkpoint/checkpoint.h"
#include "engine/engine_options.h"
#include "models/model.h"
#include "nn/pass.h"

namespace cairn::perf {

class ModelCost {
 public:
  /// `checkpoint` must outlive this; no weight is read.
  ModelCost(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options);

  const models::Model& model() const { return *model_; }

  /// A step in which each of `sequences` computes `rows` tokens behind `depth` earlier ones and
  /// gets the logits of its last row.
  backend::Cost step(std::int32_t sequences, std::int32_t rows, std::int32_t depth);
  /// Of the last step(), its ops of one kind.
  const backend::Cost& last_step(backend::OpKind kind) const { return backend_.cost(kind); }

 private:
  std::vector<nn::LayerPages> pages_of_layers(const EngineOptions& options) const;

  backend::CostBackend backend_;
  std::unique_ptr<models::Model> model_;
  std::vector<nn::LayerPages> layers_;  // by LayerIndex
  std::vector<std::int32_t> windows_;   // by page group; 0: everything is visible
};

}  // namespace cairn::perf
