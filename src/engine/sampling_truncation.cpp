#include "engine/sampling_truncation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::engine {

float sigma_threshold(std::span<const float> logits, float n) {
  float largest = -std::numeric_limits<float>::infinity();
  double sum = 0.0;
  std::size_t count = 0;
  for (const float logit : logits) {
    if (!std::isfinite(logit)) continue;
    largest = std::max(largest, logit);
    sum += logit;
    ++count;
  }
  if (count == 0) return Candidates::kAnyLogit;
  const double mean = sum / static_cast<double>(count);
  double squares = 0.0;
  for (const float logit : logits) {
    if (std::isfinite(logit)) squares += (logit - mean) * (logit - mean);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  return static_cast<float>(largest - n * deviation);
}

void keep_typical(Candidates& candidates, float mass, std::size_t min_keep) {
  if (mass >= 1.0f || candidates.size() < 2) return;
  candidates.normalize();
  double entropy = 0.0;
  for (const Candidate& candidate : candidates.view()) {
    const double p = candidate.probability;
    if (p > 0.0) entropy -= p * std::log(p);
  }
  for (Candidate& candidate : candidates.view()) {
    candidate.deviation = std::fabs(-std::log(candidate.probability) - entropy);
  }
  candidates.sort_by_deviation();
  double reached = 0.0;
  std::size_t kept = 0;
  for (const Candidate& candidate : candidates.view()) {
    reached += candidate.probability;
    ++kept;
    if (reached > mass && kept >= min_keep) break;
  }
  candidates.keep_least_deviating(kept);
}

void keep_nucleus(Candidates& candidates, float mass, std::size_t min_keep) {
  if (mass >= 1.0f) return;
  candidates.normalize();
  double reached = 0.0;
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    reached += candidates.in_order(index).probability;
    if (reached >= mass && index + 1 >= min_keep) {
      candidates.keep_first(index + 1);
      return;
    }
  }
}

void keep_min_p(Candidates& candidates, float share, std::size_t min_keep) {
  if (share <= 0.0f || candidates.size() < 2) return;
  const float threshold = candidates.largest_logit() + std::log(share);
  const auto passing = static_cast<std::size_t>(std::ranges::count_if(
      candidates.view(), [=](const Candidate& candidate) { return candidate.logit >= threshold; }));
  if (passing >= min_keep) {
    candidates.keep_at_least(threshold);
  } else {
    candidates.keep_first(min_keep);
  }
}

void exclude_top_choices(Candidates& candidates, float threshold, std::size_t min_keep) {
  if (threshold > 0.5f || candidates.size() < 2) return;
  candidates.normalize();
  std::size_t reaching = 0;
  while (reaching < candidates.size() && candidates.in_order(reaching).probability >= threshold) {
    ++reaching;
  }
  if (reaching < 2 || candidates.size() - (reaching - 1) < min_keep) return;
  candidates.drop_first(reaching - 1);
}

}  // namespace cairn::engine
