#pragma once
// How a beam search is steered; beam_search.h says what the words mean.

#include <cstdint>

namespace cairn::schedule {

enum class EarlyStopping {
  no,     // go on while the best beam, were it to end now, could beat the worst finished one
  yes,    // end as soon as `width` beams are finished
  never,  // go on while the best beam could beat it at any length up to the limit
};

struct BeamSearchOptions {
  std::int32_t width = 4;  // beams, 1 to 16
  /// Finished beams are ranked by sum of log-probabilities / generated tokens ^ length_penalty.
  float length_penalty = 1;
  EarlyStopping early_stopping = EarlyStopping::no;
};

}  // namespace cairn::schedule
