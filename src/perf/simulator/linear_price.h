#pragma once
// The simplest price of a step: so much a step, a row, and a position that rows look back at.
//
//   seconds = per_step + per_row * rows + per_context_token * sum(positions behind the last row)

#include "schedule/step_price.h"

namespace cairn::perf {

class LinearPrice final : public schedule::StepPrice {
 public:
  struct Seconds {
    double per_step = 0;
    double per_row = 0;
    double per_context_token = 0;
  };
  explicit LinearPrice(const Seconds& seconds) : seconds_(seconds) {}

  std::optional<double> seconds(const schedule::StepPlan& plan) const override {
    std::int64_t context_tokens = 0;
    for (const schedule::SequenceStep& step : plan.sequences) context_tokens += step.end_position();
    return seconds_.per_step + seconds_.per_row * plan.row_count +
           seconds_.per_context_token * static_cast<double>(context_tokens);
  }

 private:
  Seconds seconds_;
};

}  // namespace cairn::perf
