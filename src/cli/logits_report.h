#pragma once
// What `cairn logits` says about each position of a request, as JSON lines and as raw floats.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schedule/request_observer.h"

namespace cairn::cli {

class LogitsReport final : public schedule::RequestObserver {
 public:
  /// Prints to stdout the `top_count` largest logits of each position. `raw_path` empty: no raw
  /// file. Throws io where it cannot be written.
  LogitsReport(std::size_t top_count, const std::string& raw_path);

  schedule::Next on_token(const schedule::TokenEvent& event) override;
  void on_logits(std::int32_t choice, std::int32_t position,
                 std::span<const float> logits) override;
  void on_finished(const schedule::FinishedEvent& event) override;

  bool finished() const { return finished_; }
  const std::vector<TokenId>& generated() const { return generated_; }
  /// Ends the raw file; throws io if a write failed.
  void close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const;
  };

  std::size_t top_count_;
  std::string raw_path_;
  std::unique_ptr<std::FILE, CloseFile> raw_;
  bool write_failed_ = false;
  bool finished_ = false;
  std::vector<TokenId> generated_;
  std::vector<std::int32_t> order_;  // scratch
};

/// log(sum(exp(logits))) in f64, summed in the order of ids.
double log_sum_exp(std::span<const float> logits);

}  // namespace cairn::cli
