#pragma once
// Ctrl-C as a flag. While a guard lives, the first Ctrl-C sets the flag and the second ends the
// process at once with exit code 130; afterwards Ctrl-C acts as before. One guard at a time, made
// by the main thread; requested() may be asked by any.

#include <csignal>

namespace cairn::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested();
  /// Forgets a Ctrl-C that was dealt with.
  static void clear();

 private:
  struct sigaction previous_ {};
};

}  // namespace cairn::cli
