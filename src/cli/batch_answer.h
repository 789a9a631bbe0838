#pragma once
// Follows one request of a batch to its end and gives its answer as a line of output.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/batch_line.h"
#include "cli/batch_output.h"
#include "cli/latency_histogram.h"
#include "schedule/request_observer.h"
#include "text/detokenizer.h"

struct XXH64_state_s;

namespace cairn::cli {

/// What all answers of a batch add up to.
struct BatchTotals {
  std::int64_t requests = 0;  // that were answered
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t generated_tokens = 0;
  LatencyHistogram first_token;  // from submission
  LatencyHistogram inter_token;
};

class BatchAnswer final : public schedule::RequestObserver {
 public:
  /// All must outlive this; line.request is left to the caller. The clock starts here.
  BatchAnswer(BatchLine line, std::int64_t number, bool hashes_logits,
              const text::Tokenizer& tokenizer, const base::Clock& clock, BatchTotals& totals);
  ~BatchAnswer() override;

  schedule::Next on_token(const schedule::TokenEvent& event) override;
  void on_logits(std::int32_t choice, std::int32_t position,
                 std::span<const float> logits) override;
  void on_finished(const schedule::FinishedEvent& event) override;

  const BatchLine& line() const { return line_; }
  std::int64_t number() const { return number_; }  // of the line
  bool finished() const { return finished_; }
  /// Ctrl-C ended it: there is no answer.
  bool cancelled() const { return cancelled_; }
  /// REQUIRES: finished() and not cancelled().
  std::string output() const;

 private:
  struct HashDeleter {
    void operator()(XXH64_state_s* state) const;
  };
  /// One choice on its way.
  struct Stream {
    BatchChoice choice;
    std::unique_ptr<text::Detokenizer> detokenizer;
    std::unique_ptr<XXH64_state_s, HashDeleter> logit_hash;  // null: not asked for
    base::TimePoint last_token;
  };

  BatchLine line_;
  std::int64_t number_;
  std::int32_t prompt_tokens_;
  const text::Tokenizer& tokenizer_;
  const base::Clock& clock_;
  BatchTotals& totals_;
  base::TimePoint submitted_;
  std::vector<Stream> streams_;  // by choice
  schedule::Usage usage_;        // of all choices together
  bool finished_ = false;
  bool cancelled_ = false;
};

}  // namespace cairn::cli
