#include "cli/logits_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "engine/logits_hash.h"

namespace cairn::cli {

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

void LogitsReport::CloseFile::operator()(std::FILE* file) const {
  std::fclose(file);
}

LogitsReport::LogitsReport(std::size_t top_count, const std::string& raw_path)
    : top_count_(top_count), raw_path_(raw_path) {
  if (raw_path.empty()) return;
  raw_.reset(std::fopen(raw_path.c_str(), "wbe"));
  if (!raw_) fail(ErrorKind::io, "{}: cannot write: {}", raw_path, std::strerror(errno));
}

schedule::Next LogitsReport::on_token(const schedule::TokenEvent& event) {
  generated_.push_back(event.token);
  return schedule::Next::go_on;
}

void LogitsReport::on_logits(std::int32_t /*choice*/, std::int32_t position,
                             std::span<const float> logits) {
  const std::size_t count = std::min(top_count_, logits.size());
  order_.resize(logits.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count),
                    order_.end(), [&](std::int32_t a, std::int32_t b) {
                      const float left = logits[static_cast<std::size_t>(a)];
                      const float right = logits[static_cast<std::size_t>(b)];
                      return left != right ? left > right : a < b;
                    });
  std::string top;
  for (std::size_t i = 0; i < count; ++i) {
    fmt::format_to(std::back_inserter(top), "{}[{}, {:.9g}]", i == 0 ? "" : ", ", order_[i],
                   logits[static_cast<std::size_t>(order_[i])]);
  }
  fmt::print("{{\"position\": {}, \"lse\": {:.17g}, \"top\": [{}], \"hash\": \"{:016x}\"}}\n",
             position, log_sum_exp(logits), top, engine::logits_hash(logits));
  if (raw_ &&
      std::fwrite(logits.data(), sizeof(float), logits.size(), raw_.get()) != logits.size()) {
    write_failed_ = true;
  }
}

void LogitsReport::on_finished(const schedule::FinishedEvent& /*event*/) {
  finished_ = true;
}

void LogitsReport::close() {
  if (!raw_) return;
  const bool failed = std::fclose(raw_.release()) != 0 || write_failed_;
  if (failed) fail(ErrorKind::io, "{}: cannot write: is the disk full?", raw_path_);
}

}  // namespace cairn::cli
