// The longest prefix in the cache first: what is there now may be evicted later. 1,000 cached
// tokens are worth ageing_seconds of waiting.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class LongestPrefixWithAgeing final : public Order {
 public:
  explicit LongestPrefixWithAgeing(double ageing_seconds)
      : seconds_per_token_(ageing_seconds / 1000) {}

  double key(const Sequence& sequence) const override {
    return base::seconds_between({}, sequence.arrival) - sequence.hit_count * seconds_per_token_;
  }

 private:
  double seconds_per_token_;
};

}  // namespace

std::unique_ptr<Order> make_prefix(const SchedulerOptions& options) {
  return std::make_unique<LongestPrefixWithAgeing>(options.ageing_seconds);
}

}  // namespace cairn::schedule
