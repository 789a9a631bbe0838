#include "engine/sampling_candidates.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "engine/logit_scan.h"

namespace cairn::engine {
namespace {

bool comes_first(const Candidate& a, const Candidate& b) {
  if (a.logit != b.logit) return a.logit > b.logit;
  return a.token < b.token;
}

bool deviates_less(const Candidate& a, const Candidate& b) {
  if (a.deviation != b.deviation) return a.deviation < b.deviation;
  return comes_first(a, b);
}

Candidate candidate_of(std::span<const float> logits, std::size_t index) {
  return {.token = TokenId(static_cast<std::int32_t>(index)), .logit = logits[index]};
}

}  // namespace

Candidates::Candidates(std::int64_t vocabulary)
    : maxima_(scan_blocks(static_cast<std::size_t>(vocabulary))) {
  candidates_.reserve(static_cast<std::size_t>(vocabulary));
  largest_maxima_.reserve(maxima_.size());
}

float Candidates::reached_by_best(std::size_t count, float threshold) {
  if (count >= maxima_.size()) return threshold;
  largest_maxima_.assign(maxima_.begin(), maxima_.end());
  const auto nth = largest_maxima_.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(largest_maxima_.begin(), nth, largest_maxima_.end(), std::greater<>());
  return std::max(*nth, threshold);
}

void Candidates::select_best(std::span<const float> logits, std::size_t count, float threshold) {
  candidates_.clear();
  ordered_count_ = 0;
  if (count == 0 || logits.empty()) return;
  maxima_.resize(scan_blocks(logits.size()));
  block_maxima(logits, maxima_);
  append_reaching(logits, reached_by_best(count, threshold));
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, candidates_.size()));
  std::partial_sort(candidates_.begin(), candidates_.begin() + kept, candidates_.end(),
                    comes_first);
  candidates_.resize(static_cast<std::size_t>(kept));
  ordered_count_ = candidates_.size();
}

void Candidates::select_all(std::span<const float> logits, float threshold) {
  candidates_.clear();
  ordered_count_ = 0;
  if (threshold > kAnyLogit) {
    maxima_.resize(scan_blocks(logits.size()));
    block_maxima(logits, maxima_);
    return append_reaching(logits, threshold);
  }
  for (std::size_t index = 0; index < logits.size(); ++index) {
    if (logits[index] >= threshold) candidates_.push_back(candidate_of(logits, index));
  }
}

void Candidates::append_reaching(std::span<const float> logits, float least) {
  for (std::size_t block = 0; block < maxima_.size(); ++block) {
    if (!(maxima_[block] >= least)) continue;
    const std::size_t end = std::min(logits.size(), (block + 1) * kScanBlock);
    for (std::size_t index = block * kScanBlock; index < end; ++index) {
      if (logits[index] >= least) candidates_.push_back(candidate_of(logits, index));
    }
  }
}

bool Candidates::select_nucleus(std::span<const float> logits, float mass, std::size_t min_keep) {
  constexpr std::size_t first_looked_at = 64;
  // With as many as there are blocks, all logits would be looked at.
  const std::size_t most_looked_at = std::min<std::size_t>(4096, scan_blocks(logits.size()));
  constexpr double accuracy = 1e-5;  // ten times what sum_of_exponentials() promises
  const float largest = engine::largest_logit(logits);
  if (!std::isfinite(largest)) return false;
  const double sum = sum_of_exponentials(logits, largest);
  double reached = 0.0;
  std::size_t index = 0;
  for (std::size_t count = first_looked_at; count < most_looked_at; count *= 4) {
    select_best(logits, count);
    for (; index < candidates_.size(); ++index) {
      reached += std::exp(static_cast<double>(candidates_[index].logit - largest)) / sum;
      if (index + 1 < min_keep || reached < mass * (1 - accuracy)) continue;
      if (reached < mass * (1 + accuracy)) return false;
      keep_first(index + 1);
      return true;
    }
  }
  return false;
}

float Candidates::largest_logit() const {
  CHECK(!candidates_.empty());
  if (ordered_count_ > 0) return candidates_.front().logit;
  return std::ranges::max(candidates_, {}, &Candidate::logit).logit;
}

void Candidates::normalize(float temperature) {
  if (candidates_.empty()) return;
  const float largest = largest_logit();
  double sum = 0.0;
  for (Candidate& candidate : candidates_) {
    // The comparison keeps two infinities from becoming NaN.
    const float below =
        candidate.logit == largest ? 0.0f : (candidate.logit - largest) / temperature;
    candidate.probability = std::exp(static_cast<double>(below));
    sum += candidate.probability;
  }
  for (Candidate& candidate : candidates_) candidate.probability /= sum;
}

const Candidate& Candidates::in_order(std::size_t index) {
  constexpr std::size_t kFirstSorted = 64;
  CHECK(index < candidates_.size(), "{} of {}", index, candidates_.size());
  while (index >= ordered_count_) {
    const std::size_t wanted = std::max(kFirstSorted, 4 * ordered_count_);
    const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(ordered_count_);
    const auto end =
        candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, candidates_.size()));
    std::partial_sort(begin, end, candidates_.end(), comes_first);
    ordered_count_ = static_cast<std::size_t>(end - candidates_.begin());
  }
  return candidates_[index];
}

void Candidates::keep_first(std::size_t count) {
  if (count >= candidates_.size()) return;
  if (count > 0) in_order(count - 1);
  candidates_.resize(count);
  ordered_count_ = count;
}

void Candidates::drop_first(std::size_t count) {
  CHECK(count <= candidates_.size(), "{} of {}", count, candidates_.size());
  if (count == 0) return;
  in_order(count - 1);
  candidates_.erase(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count));
  ordered_count_ -= count;
}

void Candidates::keep_at_least(float threshold) {
  std::erase_if(candidates_,
                [=](const Candidate& candidate) { return candidate.logit < threshold; });
  ordered_count_ = std::min(ordered_count_, candidates_.size());
}

void Candidates::sort_by_deviation() {
  std::ranges::sort(candidates_, deviates_less);
  ordered_count_ = 0;
}

void Candidates::keep_least_deviating(std::size_t count) {
  candidates_.resize(std::min(count, candidates_.size()));
  std::ranges::sort(candidates_, comes_first);
  ordered_count_ = candidates_.size();
}

}  // namespace cairn::engine
