#pragma once
// Backends by the names that users give.

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "base/context.h"

namespace cairn::engine {

/// "cpu" or "reference"; throws invalid_argument naming both. `context` must outlive the backend.
std::unique_ptr<backend::Backend> make_backend(std::string_view name, Context& context);

}  // namespace cairn::engine
