#include "cli/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

constexpr double kFirst = 1e-6;
const double kLogOfGrowth = std::log(1.02);

}  // namespace

void LatencyHistogram::add(double seconds) {
  const double bucket = seconds > kFirst ? std::ceil(std::log(seconds / kFirst) / kLogOfGrowth) : 0;
  ++buckets_[static_cast<std::size_t>(std::min(bucket, static_cast<double>(kBuckets - 1)))];
  ++count_;
}

double LatencyHistogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const double wanted = share * static_cast<double>(count_);
  std::int64_t reached = 0;
  std::size_t bucket = 0;
  for (; bucket + 1 < kBuckets; ++bucket) {
    reached += buckets_[bucket];
    if (reached > 0 && static_cast<double>(reached) >= wanted) break;
  }
  return kFirst * std::exp(static_cast<double>(bucket) * kLogOfGrowth);
}

}  // namespace cairn::cli
