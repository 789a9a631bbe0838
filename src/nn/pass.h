#pragma once
// What a model's forward needs: where to compute, on which rows, with which memory and pages.

#include <span>

#include "backend/backend.h"
#include "nn/batch.h"
#include "nn/workspace.h"

namespace cairn::nn {

/// The pages of one layer and the group whose rows address them.
struct LayerPages {
  backend::KvLayer kv;
  std::int32_t group = -1;  // index into Batch::groups; -1: the layer has no pages
};

struct Pass {
  backend::Backend& backend;
  const Batch& batch;
  Workspace& workspace;
  std::span<const LayerPages> layers;  // by LayerIndex
};

}  // namespace cairn::nn
