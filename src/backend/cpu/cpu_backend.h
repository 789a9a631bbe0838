#pragma once
// The ops on a CPU: kernels of the best ISA (or of the one that CAIRN_ISA names), split over the
// context's threads.

#include <memory>

#include "backend/backend.h"
#include "base/context.h"

namespace cairn::backend {

/// `context` must outlive the backend. Throws invalid_argument for a CAIRN_ISA that cannot run
/// here.
std::unique_ptr<Backend> make_cpu_backend(Context& context);

}  // namespace cairn::backend
