#pragma once
// The tokens that may still be drawn. "In order" means everywhere: larger logit first, then lower
// id. The order is total, so equal logits cannot make two runs differ.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/ids.h"

namespace cairn::engine {

struct Candidate {
  TokenId token;
  float logit = 0.0f;
  double probability = 0.0;  // set by normalize()
  double deviation = 0.0;    // set by whoever calls keep_least_deviating()
};

/// Not thread-safe.
class Candidates {
 public:
  /// A threshold that lets every number pass; -infinity and NaN are never candidates.
  static constexpr float kAnyLogit = std::numeric_limits<float>::lowest();

  /// Memory for all tokens is taken here.
  explicit Candidates(std::int64_t vocabulary);

  /// The best `count` of the logits that are >= threshold, in order. Keeps no more than those, and
  /// looks only into the blocks of logits where they can be.
  void select_best(std::span<const float> logits, std::size_t count, float threshold = kAnyLogit);
  /// All logits that are >= threshold. Looks only into the blocks that reach it.
  void select_all(std::span<const float> logits, float threshold = kAnyLogit);
  /// What select_all() and keep_nucleus() (sampling_truncation.h) leave, without an array of all
  /// logits. False where more than a few thousand stay, or where the nucleus ends so near to `mass`
  /// that only exact probabilities tell: then these two have to be asked.
  bool select_nucleus(std::span<const float> logits, float mass, std::size_t min_keep);

  std::span<const Candidate> view() const { return candidates_; }
  std::span<Candidate> view() { return candidates_; }
  std::size_t size() const { return candidates_.size(); }
  /// REQUIRES: size() > 0.
  float largest_logit() const;

  /// Sets the probabilities: softmax of logit / temperature over the candidates there are.
  void normalize(float temperature = 1.0f);

  /// The candidate at `index` in order. Sorts as far as that and little further.
  const Candidate& in_order(std::size_t index);
  /// Keeps the first `count` in order.
  void keep_first(std::size_t count);
  /// Drops the first `count` in order.
  void drop_first(std::size_t count);
  /// Keeps those with logit >= threshold.
  void keep_at_least(float threshold);

  /// Sorts by deviation (ties in order), so that view() can be walked; then keeps the first `count`
  /// of these and brings them back in order.
  void sort_by_deviation();
  void keep_least_deviating(std::size_t count);

 private:
  /// What the best `count` of the logits certainly reach, at least `threshold`: the count-th
  /// largest maximum of a block, since so many blocks hold a logit as large.
  float reached_by_best(std::size_t count, float threshold);
  /// Appends all logits >= least, by id.
  void append_reaching(std::span<const float> logits, float least);

  std::vector<Candidate> candidates_;
  std::vector<float> maxima_;  // of the blocks of logits, see logit_scan.h
  std::vector<float> largest_maxima_;
  std::size_t ordered_count_ = 0;  // so many stand in order at the front, before all others
};

}  // namespace cairn::engine
