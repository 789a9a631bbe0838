#pragma once
// A progress bar on stderr for what takes over a second: nothing is drawn before, nothing where
// stderr is no terminal, and the line is gone at the end. Used by one thread.

#include <chrono>
#include <cstdint>
#include <string>

namespace cairn::cli {

enum class ProgressUnit { bytes, items };

class Progress {
 public:
  /// total 0: unknown; the amount is shown without a bar.
  Progress(std::string label, std::int64_t total, ProgressUnit unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set_total(std::int64_t total) { total_ = total; }
  /// `done` counts from 0 to total. Cheap to call often.
  void update(std::int64_t done);

 private:
  using Time = std::chrono::steady_clock::time_point;
  void draw(std::int64_t done, Time now);

  std::string label_;
  std::int64_t total_;
  ProgressUnit unit_;
  bool enabled_;
  bool drawn_ = false;
  std::int64_t first_done_ = -1;  // what a resumed job had before it began
  Time start_;
  Time next_draw_;
};

}  // namespace cairn::cli
