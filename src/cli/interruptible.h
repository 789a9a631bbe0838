#pragma once
// Running a request so that Ctrl-C ends it and not the program.

#include "base/ids.h"

namespace cairn::engine {
class Session;
}

namespace cairn::cli {

/// Steps until nothing is left to do; the first Ctrl-C cancels `id`. REQUIRES: an InterruptGuard
/// lives.
void step_until_idle_or_interrupted(engine::Session& session, RequestId id);

}  // namespace cairn::cli
