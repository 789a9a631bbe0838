#include "cli/clock_time.h"

#include <gmock/gmock.h>

#include "cli/test_support.h"

namespace cairn::cli {
namespace {

TEST(ClockTime, KnowsWeekdayAndDayOfTheYear) {
  const std::tm time = parse_clock_time("2026-07-01 12:34:56", "--now");
  EXPECT_EQ(time.tm_year, 126);
  EXPECT_EQ(time.tm_mon, 6);
  EXPECT_EQ(time.tm_mday, 1);
  EXPECT_EQ(time.tm_hour, 12);
  EXPECT_EQ(time.tm_min, 34);
  EXPECT_EQ(time.tm_sec, 56);
  EXPECT_EQ(time.tm_wday, 3);
  EXPECT_EQ(time.tm_yday, 181);
  EXPECT_EQ(parse_clock_time("2024-12-31 00:00:00", "--now").tm_yday, 365);
}

TEST(ClockTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-07-01", "2026-07-01T12:34:56", "2026-02-29 00:00:00",
                           "2026-13-01 00:00:00", "2026-07-01 24:00:00", "2026-07-01 12:60:00",
                           "2026-07-01 12:34:56 ", "-026-07-01 12:34:56"}) {
    const Error error = error_of([&] { parse_clock_time(text, "--now"); });
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_THAT(error.message(), ::testing::StartsWith("--now"));
  }
}

}  // namespace
}  // namespace cairn::cli
