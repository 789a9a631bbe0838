// Expected values: the papers' formulas in float64, computed apart with numpy.

#include <gtest/gtest.h>

#include "nn/rope.h"

namespace cairn::nn {
namespace {

void expect_close(const RopeConfig& config, const std::vector<double>& expected) {
  const std::vector<float> found = inverse_frequencies(config);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i] / expected[i], 1.0, 1e-6) << "frequency " << i;
  }
}

TEST(RopeFrequencies, PlainAndLinear) {
  expect_close({.dimensions = 8}, {1, 0.1, 0.01, 0.001});
  expect_close({.dimensions = 8, .scaling = RopeScaling::linear, .factor = 4},
               {0.25, 0.025, 0.0025, 0.00025});
}

TEST(RopeFrequencies, Llama3KeepsShortBlendsMiddleStretchesLong) {
  expect_close({.dimensions = 16,
                .base = 500000,
                .scaling = RopeScaling::llama3,
                .factor = 8,
                .original_context = 64},
               {1, 0.079403009, 0.0047007539, 0.00091158309, 0.0001767767, 3.4281022e-05,
                6.6478699e-06, 1.2891732e-06});
}

TEST(RopeFrequencies, YarnRampsOverWholeOrExactDimensions) {
  RopeConfig config{.dimensions = 16,
                    .base = 10000,
                    .scaling = RopeScaling::yarn,
                    .factor = 4,
                    .original_context = 256};
  expect_close(config,
               {1, 0.25693506, 0.0625, 0.013834965, 0.0025, 0.00079056942, 0.00025, 7.9056942e-05});
  config.truncate = false;
  expect_close(config, {1, 0.25397231, 0.055398637, 0.0096399429, 0.0025, 0.00079056942, 0.00025,
                        7.9056942e-05});
}

}  // namespace
}  // namespace cairn::nn
