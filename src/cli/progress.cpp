#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

constexpr std::chrono::milliseconds kQuietTime{1000};
constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr int kBarWidth = 30;

std::string amount(std::int64_t value, ProgressUnit unit) {
  return unit == ProgressUnit::bytes ? bytes_text(value) : fmt::format("{}", value);
}

std::string bar(double share) {
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarWidth);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '='),
                     std::string(static_cast<std::size_t>(kBarWidth - filled), ' '));
}

}  // namespace

Progress::Progress(std::string label, std::int64_t total, ProgressUnit unit)
    : label_(std::move(label)),
      total_(total),
      unit_(unit),
      enabled_(is_terminal(stderr)),
      start_(std::chrono::steady_clock::now()),
      next_draw_(start_ + kQuietTime) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::int64_t done) {
  if (!enabled_) return;
  if (first_done_ < 0) first_done_ = done;
  const Time now = std::chrono::steady_clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedrawInterval;
  draw(done, now);
}

void Progress::draw(std::int64_t done, Time now) {
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto per_second =
      static_cast<std::int64_t>(static_cast<double>(done - first_done_) / std::max(seconds, 1e-9));
  std::string line = label_ + " ";
  if (total_ > 0) {
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    line += fmt::format("{} {:3.0f} %  {} of {}", bar(share), 100 * share, amount(done, unit_),
                        amount(total_, unit_));
  } else {
    line += amount(done, unit_);
  }
  line += fmt::format("  {}/s", amount(per_second, unit_));
  const auto width = static_cast<std::size_t>(std::max(1, terminal_width(stderr) - 1));
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, width));
  std::fflush(stderr);
}

}  // namespace cairn::cli
