#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "cli/text_table.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

TEST(Terminal, AFileShowsNoColors) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(is_terminal(file));
  EXPECT_EQ(styled(file, Style::red, "text"), "text");
  EXPECT_EQ(terminal_width(file), 80);
  std::fclose(file);
}

TEST(Units, BytesHaveThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1500), "1.50 kB");
  EXPECT_EQ(bytes_text(98362432), "98.4 MB");
  EXPECT_EQ(bytes_text(999'500'000), "1.00 GB");
  EXPECT_EQ(bytes_text(999'499'999), "999 MB");
  EXPECT_EQ(bytes_text(9'995'000), "10.0 MB");
}

TEST(Units, CountsAndSeconds) {
  EXPECT_EQ(count_text(512), "512");
  EXPECT_EQ(count_text(134'515'008), "135 M");
  EXPECT_EQ(count_text(1'543'714'304), "1.54 B");
  EXPECT_EQ(seconds_text(0.00083), "830 us");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
  EXPECT_EQ(seconds_text(1.2), "1.20 s");
}

TEST(TextTable, ColumnsAreAligned) {
  TextTable table({{"NAME"}, {"SIZE", TextTable::Align::right}});
  table.add_row({"a", "1"});
  table.add_row({"long", "12345"});
  EXPECT_EQ(table.text(), "NAME   SIZE\na         1\nlong  12345\n");
}

TEST(TextTable, NoSpaceTrails) {
  TextTable table({{"A"}, {"B"}});
  table.add_row({"long", ""});
  EXPECT_EQ(table.text(), "A     B\nlong\n");
}

}  // namespace
}  // namespace cairn::cli
