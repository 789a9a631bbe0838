#pragma once
// Each drops candidates by a rule of its own. The rules see probabilities at temperature 1 over the
// candidates that are left; at least `min_keep` of those stay, and always one. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/sampling_candidates.h"

namespace cairn::engine {

/// Top-n-sigma (Tang et al., "Top-nσ: not all logits are you need", 2024): the largest logit minus
/// n standard deviations of all that are numbers.
float sigma_threshold(std::span<const float> logits, float n);

/// Locally typical sampling (Meister et al., 2023): the smallest set of probability above `mass`
/// whose members' surprise -log p is nearest to the entropy. 1: off.
void keep_typical(Candidates& candidates, float mass, std::size_t min_keep);

/// Nucleus sampling (Holtzman et al., "The curious case of neural text degeneration", 2020): the
/// smallest set of the most probable whose probabilities reach `mass`. 1: off.
void keep_nucleus(Candidates& candidates, float mass, std::size_t min_keep);

/// Min-p (Nguyen et al., 2024): those at least `share` times as probable as the best. 0: off.
void keep_min_p(Candidates& candidates, float share, std::size_t min_keep);

/// XTC, "exclude top choices": of those with probability >= threshold only the least probable
/// stays. Nothing happens where fewer than two reach it.
void exclude_top_choices(Candidates& candidates, float threshold, std::size_t min_keep);

}  // namespace cairn::engine
