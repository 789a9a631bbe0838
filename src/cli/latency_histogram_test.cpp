#include "cli/latency_histogram.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

TEST(LatencyHistogram, PercentilesAreNearThoseOfAllDurations) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0);
  for (int i = 1; i <= 1000; ++i) histogram.add(1e-3 * i);
  EXPECT_EQ(histogram.count(), 1000);
  for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    EXPECT_NEAR(histogram.percentile(share), share, 0.021 * share) << share;
  }
}

TEST(LatencyHistogram, TheShortestAndTheLongestAreCounted) {
  LatencyHistogram histogram;
  histogram.add(0);
  histogram.add(1e9);
  EXPECT_LE(histogram.percentile(0.5), 1e-6);
  EXPECT_GE(histogram.percentile(1), 1e4);
}

}  // namespace
}  // namespace cairn::cli
