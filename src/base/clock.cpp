#include "base/clock.h"

#include <chrono>

namespace cairn::base {

TimePoint SystemClock::now() const {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()};
}

}  // namespace cairn::base
