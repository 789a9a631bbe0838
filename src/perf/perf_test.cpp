#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "perf/cpu.h"
#include "perf/machine.h"
#include "perf/probe.h"

namespace cairn::perf {
namespace {

namespace fs = std::filesystem;

class PerfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("cairn_perf_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  base::ThreadPool threads_{2};
  base::SystemClock clock_;
  base::Log log_;
  Context context_{threads_, clock_, log_};
  fs::path folder_;
};

TEST_F(PerfTest, EveryMeasurementIsPositiveAndTheWholeIsNotBelowItsPart) {
  const Machine machine = measure_machine(context_);
  EXPECT_EQ(machine.core_count, 2);
  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_EQ(machine.isa, isa_name());
  EXPECT_GT(machine.memory_bytes, 0);
  EXPECT_GT(machine.read_bytes_per_second_one_core, 0);
  EXPECT_GE(machine.read_bytes_per_second, machine.read_bytes_per_second_one_core);
  EXPECT_GT(machine.int8_operations_per_second, 0);
  EXPECT_GT(machine.f32_operations_per_second, 0);
}

TEST_F(PerfTest, TheBestBandwidthEverFoundIsKept) {
  const double measured = best_read_bandwidth(context_, folder_);
  EXPECT_GT(measured, 0);
  ASSERT_TRUE(fs::exists(folder_));
  const fs::path file = fs::directory_iterator(folder_)->path();
  std::ofstream(file) << "1e15\n";
  EXPECT_EQ(best_read_bandwidth(context_, folder_), 1e15);
  std::ofstream(file) << "1\n";
  EXPECT_GT(best_read_bandwidth(context_, folder_), 1);
  double kept = 0;
  std::ifstream(file) >> kept;
  EXPECT_GT(kept, 1);
}

TEST_F(PerfTest, ADamagedCacheFileIsMeasuredAnew) {
  best_read_bandwidth(context_, folder_);
  const fs::path file = fs::directory_iterator(folder_)->path();
  for (const char* content : {"", "fast\n", "-1\n", "0\n", "nan\n"}) {
    std::ofstream(file) << content;
    EXPECT_GT(best_read_bandwidth(context_, folder_), 0) << content;
  }
}

TEST_F(PerfTest, AFolderThatCannotBeWrittenIsNoError) {
  std::ofstream(folder_) << "a file where the folder should be";
  EXPECT_GT(best_read_bandwidth(context_, folder_ / "below"), 0);
}

TEST(PeakLoops, DoTheirWorkForEveryRound) {
  for (const PeakLoops& loops : {portable_peak_loops(), peak_loops()}) {
    // Every chain of x = x/2 + 1 from 0 is 2 - 2^(1-n) after n rounds.
    EXPECT_NEAR(loops.f32_rounds(1) / loops.f32_rounds(40), 0.5, 1e-6);
    EXPECT_GT(loops.int8_operations, 0);
    EXPECT_GT(loops.f32_operations, 0);
  }
}

}  // namespace
}  // namespace cairn::perf
