#pragma once
// Percentiles of many durations in little memory: buckets that grow by 2 %, from a microsecond on.

#include <array>
#include <cstdint>

namespace cairn::cli {

class LatencyHistogram {
 public:
  void add(double seconds);
  std::int64_t count() const { return count_; }
  /// The duration that `share` of all do not exceed, to 2 %; 0 where there is none.
  double percentile(double share) const;

 private:
  static constexpr std::size_t kBuckets = 1200;  // 1 us * 1.02^1200 = 2.1e4 s
  std::array<std::int64_t, kBuckets> buckets_{};
  std::int64_t count_ = 0;
};

}  // namespace cairn::cli
