#pragma once
// The meaning of every op: plain f32 loops, weights decoded to f32, activations never rounded. Slow
// on purpose; all other backends are tested against it, and it against independent implementations.

#include <memory>

#include "backend/backend.h"
#include "base/context.h"

namespace cairn::backend {

/// `context` must outlive the backend.
std::unique_ptr<Backend> make_reference_backend(Context& context);

}  // namespace cairn::backend
