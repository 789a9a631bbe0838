#pragma once
// Follows one request: prints its text as it becomes certain and keeps its times.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "schedule/request_observer.h"
#include "text/detokenizer.h"

namespace cairn::cli {

struct AnswerTimes {
  base::TimePoint submitted;
  base::TimePoint first_token;
  base::TimePoint last_token;
  schedule::Usage usage;
  schedule::FinishReason reason = schedule::FinishReason::none;

  double first_token_seconds() const { return seconds_between(submitted, first_token); }
  /// Of the tokens after the first; 0 where there was one at most.
  double decode_tokens_per_second() const;
};

class AnswerPrinter final : public schedule::RequestObserver {
 public:
  /// The clock starts here. Tokenizer and clock must outlive this. `out` may be null.
  AnswerPrinter(const text::Tokenizer& tokenizer, std::vector<std::string> stop_strings,
                const base::Clock& clock, std::FILE* out);

  schedule::Next on_token(const schedule::TokenEvent& event) override;
  void on_finished(const schedule::FinishedEvent& event) override;

  bool finished() const { return times_.reason != schedule::FinishReason::none; }
  const std::string& text() const { return text_; }
  const AnswerTimes& times() const { return times_; }

 private:
  void print(const std::string& piece);

  text::Detokenizer detokenizer_;
  const base::Clock& clock_;
  std::FILE* out_;
  std::string text_;
  AnswerTimes times_;
};

}  // namespace cairn::cli
