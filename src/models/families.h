#pragma once
// One builder a family; registry.cpp says which architectures each one serves.

#include <memory>

#include "backend/backend.h"
#include "checkpoint/hyperparameters.h"
#include "models/model.h"
#include "nn/load_options.h"

namespace cairn::models {

std::unique_ptr<Model> make_llama(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options);
std::unique_ptr<Model> make_qwen2(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options);
std::unique_ptr<Model> make_qwen3(const checkpoint::Hyperparameters& hyperparameters,
                                  backend::Backend& backend, const nn::LoadOptions& options);
std::unique_ptr<Model> make_gemma3(const checkpoint::Hyperparameters& hyperparameters,
                                   backend::Backend& backend, const nn::LoadOptions& options);

}  // namespace cairn::models
