#pragma once
// When the parts of a step began, one after the other, by the clock of the executor.

#include "base/clock.h"

namespace cairn::engine {

struct StepTimes {
  base::TimePoint begun;     // pages are copied, rows laid out
  base::TimePoint built;     // the model computes
  base::TimePoint computed;  // tokens are drawn
  base::TimePoint drawn;     // the end
};

}  // namespace cairn::engine
