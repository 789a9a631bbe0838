#include "base/work_meter.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/thread_pool.h"

namespace cairn::base {
namespace {

/// A second passes with each look.
class SteppingClock final : public Clock {
 public:
  TimePoint now() const override { return {looks_.fetch_add(1) * 1'000'000'000}; }

 private:
  mutable std::atomic<std::int64_t> looks_{0};
};

TEST(WorkMeter, CountsRunsAndUnitsWhileThePoolHasIt) {
  const SteppingClock clock;
  ThreadPool pool(2);
  WorkMeter meter(clock, 2);
  std::atomic<int> units{0};
  const auto unit = [&](int, std::int64_t) { units.fetch_add(1); };
  pool.run(3, unit);
  EXPECT_EQ(meter.total().run_seconds, 0);
  pool.set_meter(&meter);
  pool.run(1, unit);
  EXPECT_EQ(meter.total().run_seconds, 0) << "a single unit is the caller's own";
  pool.run(3, unit);
  // Two looks for the run and two for each unit, of both workers in any order.
  EXPECT_EQ(meter.total().run_seconds, 7);
  EXPECT_GE(meter.total().busy_seconds, 3);
  pool.set_meter(nullptr);
  pool.run(3, unit);
  EXPECT_EQ(meter.total().run_seconds, 7);
  EXPECT_EQ(units, 10);
}

}  // namespace
}  // namespace cairn::base
