#pragma once
// Time comes from outside: the engine gets a Clock, tests and the simulator give a virtual one.

#include <compare>
#include <cstdint>

namespace cairn::base {

/// Nanoseconds since an arbitrary start; never goes back.
struct TimePoint {
  std::int64_t nanoseconds = 0;
  friend constexpr auto operator<=>(TimePoint, TimePoint) = default;
};

constexpr double seconds_between(TimePoint from, TimePoint to) {
  return static_cast<double>(to.nanoseconds - from.nanoseconds) * 1e-9;
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

/// The machine's monotonic clock; wall-clock jumps do not move it. Thread-safe.
class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
};

/// Stands still until told to advance. Not thread-safe.
class VirtualClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  void advance(std::int64_t nanoseconds) { now_.nanoseconds += nanoseconds; }

 private:
  TimePoint now_;
};

}  // namespace cairn::base
