#include "cli/interruptible.h"

#include "cli/interrupt.h"
#include "engine/session.h"

namespace cairn::cli {

void step_until_idle_or_interrupted(engine::Session& session, RequestId id) {
  bool cancelled = false;
  while (session.step()) {
    if (InterruptGuard::requested() && !cancelled) {
      session.cancel(id);
      cancelled = true;
    }
  }
}

}  // namespace cairn::cli
