#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/mapped_file.h"
#include "base/random.h"
#include "base/thread_pool.h"

namespace cairn::base {
namespace {

using ::testing::HasSubstr;

TEST(Error, CarriesKindAndMessage) {
  try {
    fail(ErrorKind::corrupt, "{}: found {}", "a.gguf", 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    EXPECT_EQ(error.message(), "a.gguf: found 3");
    EXPECT_STREQ(name_of(error.kind()), "corrupt");
  }
}

TEST(CheckDeathTest, PrintsItsValues) {
  EXPECT_DEATH(CHECK(1 == 2, "left={} right={}", 1, 2), "left=1 right=2");
}

TEST(Checked, RefusesWhatDoesNotFit) {
  EXPECT_EQ(checked_add<std::uint8_t>(200, 55), 255);
  EXPECT_FALSE(checked_add<std::uint8_t>(200, 56));
  EXPECT_FALSE(checked_multiply<std::uint64_t>(1ULL << 33, 1ULL << 31));
  EXPECT_EQ(checked_align(33, 32), 64U);
  EXPECT_FALSE(checked_align(~0ULL, 32));
}

// Random123's known-answer tests for Philox4x32-10.
TEST(Random, PhiloxKnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, DrawsAreUniformAndKeyed) {
  constexpr std::uint32_t kDraws = 100000;
  double sum = 0;
  for (std::uint32_t position = 0; position < kDraws; ++position) {
    const double draw = uniform_draw(7, 0, position, DrawPurpose::sample);
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    sum += draw;
  }
  // Five standard deviations of a mean of kDraws uniforms: 5 / sqrt(12 * kDraws) = 0.0046.
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0046);
  EXPECT_NE(uniform_draw(7, 0, 1, DrawPurpose::sample), uniform_draw(7, 1, 1, DrawPurpose::sample));
  EXPECT_NE(uniform_draw(7, 0, 1, DrawPurpose::sample), uniform_draw(7, 0, 1, DrawPurpose::xtc));
}

TEST(ThreadPool, EveryUnitIsDoneOnceAndSeenAfterwards) {
  for (const int workers : {1, 2, 5}) {
    ThreadPool pool(workers);
    for (int repeat = 0; repeat < 300; ++repeat) {
      const std::int64_t count = repeat % 17;
      std::vector<std::int64_t> written(static_cast<std::size_t>(count), 0);
      pool.run(count, [&](int worker, std::int64_t unit) {
        ASSERT_LT(worker, workers);
        written[static_cast<std::size_t>(unit)] += unit + 1;
      });
      std::atomic<std::int64_t> wrong{0};
      pool.run(count, [&](int, std::int64_t) {
        for (std::int64_t i = 0; i < count; ++i) {
          if (written[static_cast<std::size_t>(i)] != i + 1) ++wrong;
        }
      });
      ASSERT_EQ(wrong.load(), 0);
    }
  }
}

TEST(ThreadPool, AWorkerHasOneUnitAtATime) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<int> overlaps{0};
  for (int repeat = 0; repeat < 100; ++repeat) {
    pool.run(23, [&](int worker, std::int64_t) {
      std::atomic<int>& mine = busy[static_cast<std::size_t>(worker)];
      if (mine.fetch_add(1) != 0) ++overlaps;
      mine.fetch_sub(1);
    });
  }
  EXPECT_EQ(overlaps.load(), 0);
}

TEST(ThreadPool, RunOnEachReachesAllWorkersTogether) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<int> calls(3, 0);
    pool.run_on_each([&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
    ASSERT_EQ(calls, std::vector<int>({1, 1, 1}));
  }
}

TEST(ThreadPool, SharesCoverEverythingOnce) {
  for (const std::int64_t count : {0, 1, 7, 8, 9, 100}) {
    for (const int workers : {1, 2, 3, 16}) {
      std::int64_t next = 0;
      for (int worker = 0; worker < workers; ++worker) {
        const Range share = share_of(count, worker, workers, 8);
        EXPECT_EQ(share.begin, std::min<std::int64_t>(next, count));
        EXPECT_TRUE(share.begin == count || share.begin % 8 == 0);
        next = share.end;
      }
      EXPECT_EQ(next, count);
    }
  }
  EXPECT_GE(usable_core_count(), 1);
}

TEST(MappedFile, MapsAndExplains) {
  const auto path =
      std::filesystem::temp_directory_path() / ("cairn_mapped_" + std::to_string(::getpid()));
  std::ofstream(path) << "stone";
  {
    const MappedFile file(path);
    ASSERT_EQ(file.bytes().size(), 5U);
    EXPECT_EQ(static_cast<char>(file.bytes()[4]), 'e');
    file.release(file.bytes());
    EXPECT_EQ(static_cast<char>(file.bytes()[0]), 's');
  }
  std::filesystem::remove(path);
  try {
    const MappedFile missing(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_THAT(error.message(), HasSubstr(path.string()));
  }
  EXPECT_THROW(MappedFile{std::filesystem::temp_directory_path()}, Error);
}

}  // namespace
}  // namespace cairn::base
