#include "engine/sampling_candidates.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

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

Candidates::Candidates(std::int64_t vocabulary) {
  candidates_.reserve(static_cast<std::size_t>(vocabulary));
}

void Candidates::select_best(std::span<const float> logits, std::size_t count, float threshold) {
  candidates_.clear();
  ordered_count_ = 0;
  if (count == 0) return;
  std::size_t index = 0;
  for (; index < logits.size() && candidates_.size() < count; ++index) {
    if (logits[index] >= threshold) candidates_.push_back(candidate_of(logits, index));
  }
  // A heap with the last in order on top. Ids ascend, so an equal logit never displaces one.
  std::ranges::make_heap(candidates_, comes_first);
  for (; index < logits.size(); ++index) {
    if (!(logits[index] > candidates_.front().logit)) continue;
    std::ranges::pop_heap(candidates_, comes_first);
    candidates_.back() = candidate_of(logits, index);
    std::ranges::push_heap(candidates_, comes_first);
  }
  std::ranges::sort_heap(candidates_, comes_first);
  ordered_count_ = candidates_.size();
}

void Candidates::select_all(std::span<const float> logits, float threshold) {
  candidates_.clear();
  ordered_count_ = 0;
  for (std::size_t index = 0; index < logits.size(); ++index) {
    if (logits[index] >= threshold) candidates_.push_back(candidate_of(logits, index));
  }
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
