#include "cli/clock_time.h"

#include <chrono>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace cairn::cli {
namespace {

/// `shape` with digits where it has a 0.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits = shape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    if (!fits) return false;
  }
  return true;
}

std::optional<std::tm> parse(const std::string& text) {
  if (!has_shape(text, "0000-00-00 00:00:00")) return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t size) {
    return std::stoi(text.substr(begin, size));
  };
  using std::chrono::day, std::chrono::month, std::chrono::year;
  const std::chrono::year_month_day date(year(number(0, 4)),
                                         month(static_cast<unsigned>(number(5, 2))),
                                         day(static_cast<unsigned>(number(8, 2))));
  std::tm time{};
  time.tm_hour = number(11, 2);
  time.tm_min = number(14, 2);
  time.tm_sec = number(17, 2);
  if (!date.ok() || time.tm_hour > 23 || time.tm_min > 59 || time.tm_sec > 60) return std::nullopt;
  const std::chrono::sys_days days(date);
  const std::chrono::sys_days first_day(date.year() / std::chrono::January / 1);
  time.tm_year = static_cast<int>(date.year()) - 1900;
  time.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  time.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  time.tm_wday = static_cast<int>(std::chrono::weekday(days).c_encoding());
  time.tm_yday = static_cast<int>((days - first_day).count());
  return time;
}

}  // namespace

std::tm parse_clock_time(const std::string& text, const char* flag) {
  const std::optional<std::tm> time = parse(text);
  if (!time) {
    fail(ErrorKind::invalid_argument, "{} '{}': no date and time like \"2026-07-01 12:34:56\"",
         flag, text);
  }
  return *time;
}

}  // namespace cairn::cli
