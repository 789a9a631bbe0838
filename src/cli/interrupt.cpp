#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>

#include "cli/exit_code.h"

namespace cairn::cli {
namespace {

std::atomic<bool> interrupt_requested{false};  // a signal handler has nowhere else to write
static_assert(std::atomic<bool>::is_always_lock_free);

void handle_interrupt(int /*signal*/) {
  if (interrupt_requested.exchange(true)) _exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

InterruptGuard::InterruptGuard() {
  clear();
  struct sigaction action {};
  action.sa_handler = handle_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_, nullptr);
}

bool InterruptGuard::requested() {
  return interrupt_requested.load();
}

void InterruptGuard::clear() {
  interrupt_requested.store(false);
}

}  // namespace cairn::cli
