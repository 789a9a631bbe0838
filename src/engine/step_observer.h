#pragma once
// What a step did, for benchmarks, statistics and `--beside`.

#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace cairn::engine {

struct StepStatistics {
  base::TimePoint started;
  base::TimePoint ended;
  std::int32_t rows = 0;         // tokens computed
  std::int32_t decode_rows = 0;  // of those, one a sequence that had its prompt computed
  std::int32_t sequences = 0;    // that had rows
  std::int32_t logit_rows = 0;
  std::int64_t context_tokens = 0;  // sum over sequences of the positions behind their last row
  std::int32_t waiting_sequences = 0;
  std::int32_t running_sequences = 0;
  std::optional<double> predicted_seconds;  // by the StepPrice
};

/// Called by the thread that steps the core, after the step's events; must not throw.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_step(const StepStatistics& statistics) = 0;
};

}  // namespace cairn::engine
