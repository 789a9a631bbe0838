#pragma once
// Which families there are, and the one way to load a model: by the architecture its file names.

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "checkpoint/checkpoint.h"
#include "models/model.h"
#include "nn/load_options.h"

namespace cairn::models {

using nn::LoadOptions;

/// Builds the model and prepares its weights on `backend`, which must outlive it, as must
/// `checkpoint` (rows of embeddings are read from it). Throws unsupported for an architecture, a
/// rope scaling or an activation that nothing here runs, and corrupt for tensors that are missing
/// or of another shape than the settings say; the message names it.
std::unique_ptr<Model> load_model(const checkpoint::Checkpoint& checkpoint,
                                  backend::Backend& backend, const LoadOptions& options = {});

/// Names of general.architecture (GGUF) and model_type (Hugging Face) that load_model knows,
/// sorted.
std::vector<std::string_view> supported_architectures();

}  // namespace cairn::models
